// Escapes: checked with SIMD in long strings, decoded only where a key or a value must be compared.
#pragma once
#include "json/bytes.hpp"

namespace fg {

FG_INLINE bool is_surrogate(u32 unit) { return (unit & 0xF800u) == 0xD800u; }
FG_INLINE bool is_high_surrogate(u32 unit) { return (unit & 0xFC00u) == 0xD800u; }
FG_INLINE bool is_low_surrogate(u32 unit) { return (unit & 0xFC00u) == 0xDC00u; }

FG_INLINE bool four_hex(const u8* h) { return kByte.hex[h[0]] & kByte.hex[h[1]] & kByte.hex[h[2]] & kByte.hex[h[3]]; }
FG_INLINE u32 code_unit(const u8* h) {
  return hex_value(h[0]) << 12 | hex_value(h[1]) << 8 | hex_value(h[2]) << 4 | hex_value(h[3]);
}

// Checks the escape at p (a backslash); the string's closing quote is at `stop`. Returns one past it, a surrogate pair
// counting as one, or 0. Sets `lone` for an unpaired surrogate.
FG_INLINE u32 escape_end(const u8* b, u32 p, u32 stop, bool& lone) {
  if (FG_UNLIKELY(p + 1 >= stop)) return 0;
  const u8 kind = kByte.escape[b[p + 1]];
  if (FG_LIKELY(kind == 1)) return p + 2;
  if (kind == 0 || stop - p < 6 || !four_hex(b + p + 2)) return 0;
  const u32 unit = code_unit(b + p + 2);
  if (FG_LIKELY(!is_surrogate(unit))) return p + 6;
  if (is_high_surrogate(unit) && stop - p >= 12 && b[p + 6] == '\\' && b[p + 7] == 'u' && four_hex(b + p + 8) &&
      is_low_surrogate(code_unit(b + p + 8)))
    return p + 12;
  lone = true;
  return p + 6;
}

// The rest of a string, escape by escape. p is a backslash or plain text.
inline bool escapes_scalar(const u8* b, u32 p, u32 stop, bool& lone) {
  for (;;) {
    p = find_backslash(b, p, stop);
    if (p >= stop) return true;
    do {
      p = escape_end(b, p, stop, lone);
      if (!p) return false;
    } while (p < stop && b[p] == '\\');
  }
}

#if FG_AVX2
// Is the \uXXXX whose 'u' is at q a surrogate without its partner? `from` is the first escape of the string, so that a pair may be
// looked at from its second half. Bounded by [from, stop).
FG_COLD static bool lone_at(const u8* b, u32 q, u32 from, u32 stop) {
  const u32 unit = code_unit(b + q + 1);
  if (is_high_surrogate(unit))
    return !(stop - q >= 11 && b[q + 5] == '\\' && b[q + 6] == 'u' && four_hex(b + q + 7) && is_low_surrogate(code_unit(b + q + 7)));
  // A low half: the six bytes before its backslash must be an escaped high half. Was that backslash itself escaped
  // (`\\ud800\udc00`)? Then it is text: count the backslashes before it.
  if (q < from + 7 || b[q - 7] != '\\' || b[q - 6] != 'u' || !four_hex(b + q - 5) || !is_high_surrogate(code_unit(b + q - 5))) return true;
  u32 run = 0;
  while (q - 7 - run > from && b[q - 8 - run] == '\\') run++;
  return run & 1;
}

// Two nibble tables: the bits of a byte's low and high nibble meet in 1, 2, 4 or 8 iff it may follow a backslash (1: 2x with 2 or F;
// 2: 5C; 4: 6x with 2, 6, E; 8: 7x with 2, 4, 5), in 16 or 32 iff it is a hexadecimal digit (16: 3x; 32: 4x and 6x), and in 64 iff it is d or D.
#define FG_BY_LOW 16, 48, 1 | 4 | 8 | 48, 48, 8 | 48 | 64, 8 | 48, 4 | 48, 16, 16, 16, 0, 0, 2, 0, 4, 1
#define FG_BY_HIGH 0, 0, 1, 16, 32 | 64, 2, 4 | 32 | 64, 8, 0, 0, 0, 0, 0, 0, 0, 0

// One bit per byte of a block: is it a backslash, a legal escape, a hexadecimal digit, a u, a d or D?
struct EscapeBlock {
  u64 slashes, legal, hex, u, d;
};

__attribute__((target("avx2,bmi"))) static inline EscapeBlock read_avx2(const u8* at) {
  const __m256i low4 = _mm256_set1_epi8(0x0f), zero = _mm256_setzero_si256();
  const __m256i by_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(FG_BY_LOW));
  const __m256i by_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(FG_BY_HIGH));
  u64 masks[5] = {0, 0, 0, 0, 0};
  for (int half = 0; half < 2; half++) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at) + half);
    const __m256i k = _mm256_and_si256(_mm256_shuffle_epi8(by_low, _mm256_and_si256(v, low4)),
                                       _mm256_shuffle_epi8(by_high, _mm256_and_si256(_mm256_srli_epi16(v, 4), low4)));
    const __m256i found[5] = {_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')),
                              _mm256_cmpgt_epi8(_mm256_and_si256(k, _mm256_set1_epi8(15)), zero),
                              _mm256_cmpgt_epi8(_mm256_and_si256(k, _mm256_set1_epi8(48)), zero),
                              _mm256_cmpeq_epi8(v, _mm256_set1_epi8('u')), _mm256_slli_epi16(k, 1)};
    for (int i = 0; i < 5; i++) masks[i] |= static_cast<u64>(static_cast<u32>(_mm256_movemask_epi8(found[i]))) << (32 * half);
  }
  return {masks[0], masks[1], masks[2], masks[3], masks[4]};
}

#define FG_ESCAPES escapes_avx2
#define FG_TARGET "avx2,bmi"
#define FG_READ read_avx2
#include "json/escape_kernel.hpp"
#undef FG_ESCAPES
#undef FG_TARGET
#undef FG_READ

__attribute__((target("avx512f,avx512bw,bmi"))) static inline EscapeBlock read_avx512(const u8* at) {
  const __m512i v = _mm512_loadu_si512(at);
  const __m512i low4 = _mm512_set1_epi8(0x0f);
  const __m512i by_low = _mm512_broadcast_i32x4(_mm_setr_epi8(FG_BY_LOW));
  const __m512i by_high = _mm512_broadcast_i32x4(_mm_setr_epi8(FG_BY_HIGH));
  const __m512i k = _mm512_and_si512(_mm512_shuffle_epi8(by_low, _mm512_and_si512(v, low4)),
                                     _mm512_shuffle_epi8(by_high, _mm512_and_si512(_mm512_srli_epi16(v, 4), low4)));
  EscapeBlock block = {_mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\')), _mm512_test_epi8_mask(k, _mm512_set1_epi8(15)),
                       _mm512_test_epi8_mask(k, _mm512_set1_epi8(48)), _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('u')),
                       _mm512_test_epi8_mask(k, _mm512_set1_epi8(64))};
  // Keeps gcc from moving a later `&` into a masked compare: the way through a mask register is longer.
  __asm__("" : "+r"(block.u), "+r"(block.legal), "+r"(block.d));
  return block;
}

#define FG_ESCAPES escapes_avx512
#define FG_TARGET "avx512f,avx512bw,bmi"
#define FG_READ read_avx512
#include "json/escape_kernel.hpp"
#undef FG_ESCAPES
#undef FG_TARGET
#undef FG_READ
#endif

// So long a text is read in blocks.
constexpr u32 kDense = 96;

// Checks every escape in [p, stop), p a backslash that starts one, `stop` the closing quote.
FG_INLINE bool escapes_ok(const u8* b, u32 p, u32 stop, bool& lone, Width width) {
#if FG_AVX2
  if (width >= kAvx2 && stop - p >= kDense) return (width == kAvx512 ? escapes_avx512 : escapes_avx2)(b, p, stop, lone);
#else
  (void)width;
#endif
  return escapes_scalar(b, p, stop, lone);
}

// Reads the characters of a checked string one by one, unescaped. The string's text starts at `at`; reading ends at its quote or at
// `stop`, whichever comes first.
class Characters {
 public:
  static constexpr u32 kEnd = 0xFFFFFFFFu;
  Characters(const u8* b, u32 at, u32 stop) : b_(b), at_(at), stop_(stop) {}
  u32 at() const { return at_; }

  // The next code point (a lone surrogate as itself), or kEnd.
  u32 next() {
    if (at_ >= stop_ || b_[at_] == '"') return kEnd;
    const u8 c = b_[at_];
    if (c == '\\') return escaped();
    const u32 size = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (stop_ - at_ < size) return kEnd;
    u32 point = size == 1 ? c : c & (0xFFu >> (size + 1));
    for (u32 i = 1; i < size; i++) point = point << 6 | (b_[at_ + i] & 0x3Fu);
    at_ += size;
    return point;
  }

 private:
  u32 escaped() {
    bool lone = false;
    const u32 end = escape_end(b_, at_, stop_, lone);
    if (!end) return kEnd;
    const u8* p = b_ + at_ + 1;
    const u32 size = end - at_;
    at_ = end;
    if (size == 2) return *p == 'b' ? 8 : *p == 'f' ? 12 : *p == 'n' ? 10 : *p == 'r' ? 13 : *p == 't' ? 9 : *p;
    const u32 unit = code_unit(p + 1);
    return size == 6 ? unit : 0x10000u + ((unit - 0xD800u) << 10) + (code_unit(p + 7) - 0xDC00u);
  }

  const u8* b_;
  u32 at_, stop_;
};

// Are the two strings whose texts start there equal?
FG_COLD static bool same_text(const u8* b, u32 one, u32 other, u32 stop) {
  Characters a(b, one, stop), c(b, other, stop);
  for (;;) {
    const u32 x = a.next();
    if (x != c.next()) return false;
    if (x == Characters::kEnd) return true;
  }
}

// Is the string at `at` exactly that ASCII text?
FG_COLD static bool says(const u8* b, u32 at, u32 stop, const char* text, bool prefix = false) {
  Characters a(b, at, stop);
  for (; *text; text++)
    if (a.next() != static_cast<u8>(*text)) return false;
  return prefix || a.next() == Characters::kEnd;
}

}  // namespace fg
