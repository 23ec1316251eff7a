// Byte classes, loads and searches that never leave [from, to).
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "framegauge.h"

#if defined(__SSE2__) || defined(_M_X64)
#define FG_SSE2 1
#include <emmintrin.h>
#endif
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define FG_AVX2 1
#include <immintrin.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define FG_LIKELY(x) __builtin_expect(!!(x), 1)
#define FG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FG_INLINE inline __attribute__((always_inline))
#define FG_COLD __attribute__((noinline, cold))
#define FG_NOINLINE __attribute__((noinline))
#else
#define FG_LIKELY(x) (x)
#define FG_UNLIKELY(x) (x)
#define FG_INLINE __forceinline
#define FG_COLD __declspec(noinline)
#define FG_NOINLINE __declspec(noinline)
#endif

namespace fg {

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

// Instruction sets beyond the baseline that our own loops use; chosen by the simdjson kernel, so that one override moves both.
enum Width : u8 { kPortable, kScalar, kAvx2, kAvx512 };  // kPortable: simdjson's own fallback
inline Width g_width = kPortable;                       // set with the kernel, at start

struct ByteTables {
  u8 type[256];   // fg_type of the value that this byte starts, or FG_ABSENT
  u8 blank[256];  // RFC 8259 white space
  u8 hex[256];
  u8 escape[256];  // 1: one-byte escape, 2: u, 0: none
  constexpr ByteTables() : type(), blank(), hex(), escape() {
    set(blank, " \t\n\r", 1), set(hex, "0123456789abcdefABCDEF", 1), set(escape, "\"\\/bfnrt", 1), set(escape, "u", 2);
    set(type, "-0123456789", FG_NUMBER), set(type, "\"", FG_STRING), set(type, "{", FG_OBJECT), set(type, "[", FG_ARRAY);
    set(type, "t", FG_TRUE), set(type, "f", FG_FALSE), set(type, "n", FG_NULL);
  }

 private:
  static constexpr void set(u8 (&table)[256], const char* bytes, u8 value) {
    for (; *bytes; bytes++) table[static_cast<u8>(*bytes)] = value;
  }
};
constexpr ByteTables kByte;

FG_INLINE u64 load8(const u8* p) {
  u64 v;
  memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

FG_INLINE u32 trailing_zeros(u32 v) {
#if defined(_MSC_VER)
  unsigned long i;
  _BitScanForward(&i, v);
  return i;
#else
  return static_cast<u32>(__builtin_ctz(v));
#endif
}

FG_INLINE u32 trailing_zeros(u64 v) {
#if defined(_MSC_VER) && defined(_M_X64)
  unsigned long i;
  _BitScanForward64(&i, v);
  return i;
#elif defined(_MSC_VER)
  return static_cast<u32>(v) ? trailing_zeros(static_cast<u32>(v)) : 32 + trailing_zeros(static_cast<u32>(v >> 32));
#else
  return static_cast<u32>(__builtin_ctzll(v));
#endif
}

// Zeroes `size` bytes in line. For a constant size gcc chooses `rep stos`, which takes 15 ns to start.
template <size_t size>
FG_INLINE void zero(void* p) {
  static_assert(size % 8 == 0, "whole words only");
  char* at = static_cast<char*>(p);
#if FG_SSE2
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 32
#endif
  for (size_t i = 0; i < size / 16; i++) _mm_storeu_si128(reinterpret_cast<__m128i*>(at + 16 * i), _mm_setzero_si128());
  if (size % 16) memset(at + size - 8, 0, 8);
#else
  memset(at, 0, size);
#endif
}

FG_INLINE bool is_digit(u8 c) { return static_cast<u8>(c - '0') < 10; }
FG_INLINE u32 hex_value(u8 c) { return (c & 0xFu) + 9u * (c >> 6); }

// The first backslash in [from, to), or `to`.
FG_INLINE u32 find_backslash(const u8* b, u32 from, u32 to) {
  if (from >= to) return to;
#if FG_SSE2
  // Backslashes come in clusters: look at 16 bytes before paying for a call.
  if (to - from >= 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + from));
    const u32 hits = static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
    if (hits) return from + trailing_zeros(hits);
    from += 16;
    if (from == to) return to;
  }
#endif
  const void* hit = memchr(b + from, '\\', to - from);
  return hit ? static_cast<u32>(static_cast<const u8*>(hit) - b) : to;
}

// Differences, not sums, are compared with sizes: a sum may wrap in a frame of nearly 4 GiB.
// Is there an LF or CR in [from, to), from <= to?
FG_INLINE bool has_newline(const u8* b, u32 from, u32 to) {
#if FG_SSE2
  const u32 start = from;
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; to - from >= 64; from += 64) {
    const __m128i* p = reinterpret_cast<const __m128i*>(b + from);
    __m128i any = _mm_setzero_si128();
    for (int i = 0; i < 4; i++) {
      const __m128i v = _mm_loadu_si128(p + i);
      any = _mm_or_si128(any, _mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr)));
    }
    if (_mm_movemask_epi8(any)) return true;
  }
  const auto hit = [&](u32 at) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at));
    return _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr))) != 0;
  };
  const bool room = to - start >= 16;
  for (; to - from >= 16; from += 16)
    if (hit(from)) return true;
  if (FG_LIKELY(room)) return from < to && hit(to - 16);  // the rest, and some bytes again
#endif
  bool found = false;
  for (; from < to; from++) found |= b[from] == '\n' || b[from] == '\r';
  return found;
}

// What one pass over a chunk finds.
struct Marks {
  u32* ends;     // the offset of every LF, in room for one more than there are
  u64* slashes;  // a bit for each byte: is it a backslash; and one behind the last byte, which ends every search
  u32 lines;     // how many ends
  bool returns;  // is there a CR
};

inline void mark_plain(const u8* b, u32 from, u32 size, Marks& m) {
  for (u32 at = from; at <= size; at += 64) {
    u64 slashes = 0;
    const u32 stop = size - at < 64 ? size : at + 64;
    for (u32 p = at; p < stop; p++) {
      m.ends[m.lines] = p;
      m.lines += b[p] == '\n';
      m.returns |= b[p] == '\r';
      slashes |= static_cast<u64>(b[p] == '\\') << (p - at);
    }
    m.slashes[at / 64] = stop == at + 64 ? slashes : slashes | u64(1) << (size - at);
  }
}

// Without a branch on whether there is an LF: few blocks have two. Returns one past the last end.
FG_INLINE u32* mark_ends(u32* end, u32 at, u64 hits) {
  *end = at + trailing_zeros(hits | u64(1) << 63);
  end += hits != 0;
  for (hits &= hits - 1; FG_UNLIKELY(hits); hits &= hits - 1) *end++ = at + trailing_zeros(hits);
  return end;
}

#if FG_AVX2
__attribute__((target("avx2"))) static inline u64 bits_of(__m256i low, __m256i high) {
  return static_cast<u32>(_mm256_movemask_epi8(low)) | static_cast<u64>(static_cast<u32>(_mm256_movemask_epi8(high))) << 32;
}

__attribute__((target("avx2"))) static inline void mark_avx2(const u8* b, u32 size, Marks& m) {
  const __m256i lf = _mm256_set1_epi8('\n'), cr = _mm256_set1_epi8('\r'), slash = _mm256_set1_epi8('\\');
  __m256i any_cr = _mm256_setzero_si256();
  u32 at = 0, *end = m.ends;
  u64* const slashes = m.slashes;
  for (; size - at >= 64; at += 64) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + at));
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + at + 32));
    any_cr = _mm256_or_si256(any_cr, _mm256_or_si256(_mm256_cmpeq_epi8(v, cr), _mm256_cmpeq_epi8(w, cr)));
    slashes[at / 64] = bits_of(_mm256_cmpeq_epi8(v, slash), _mm256_cmpeq_epi8(w, slash));
    end = mark_ends(end, at, bits_of(_mm256_cmpeq_epi8(v, lf), _mm256_cmpeq_epi8(w, lf)));
  }
  m.lines = static_cast<u32>(end - m.ends);
  m.returns = _mm256_movemask_epi8(any_cr) != 0;
  mark_plain(b, at, size, m);
}

__attribute__((target("avx512f,avx512bw"))) static inline void mark_avx512(const u8* b, u32 size, Marks& m) {
  u64 any_cr = 0;
  u32 at = 0, *end = m.ends;
  u64* const slashes = m.slashes;
  for (; size - at >= 64; at += 64) {
    const __m512i v = _mm512_loadu_si512(b + at);
    any_cr |= _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\r'));
    slashes[at / 64] = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\'));
    end = mark_ends(end, at, _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n')));
  }
  m.lines = static_cast<u32>(end - m.ends);
  m.returns = any_cr != 0;
  mark_plain(b, at, size, m);
}
#endif

FG_INLINE void mark(const u8* b, u32 size, Marks& m, Width width) {
  m.lines = 0, m.returns = false;
#if FG_AVX2
  if (FG_LIKELY(width >= kAvx2)) return (width == kAvx512 ? mark_avx512 : mark_avx2)(b, size, m);
#else
  (void)width;
#endif
  mark_plain(b, 0, size, m);
}

// The first backslash from `from` on by such bits, or the size of what they mark.
FG_INLINE u32 next_marked(const u64* slashes, u32 from) {
  u32 i = from / 64;
  u64 word = slashes[i] & ~u64(0) << from % 64;
  while (!word) word = slashes[++i];
  return i * 64 + trailing_zeros(word);
}

// Results of one pass over the first bytes of a frame: the first backslash, and whether there is an LF or CR at all.
struct Prescan {
  u32 backslash;  // or `to`
  bool newline;
};

#if FG_AVX2
// Over [0, to), 32 bytes at a time; to is at least 32.
__attribute__((target("avx2"))) static inline Prescan prescan_avx2(const u8* b, u32 to) {
  const __m256i lf = _mm256_set1_epi8('\n'), cr = _mm256_set1_epi8('\r'), backslash = _mm256_set1_epi8('\\');
  __m256i newlines = _mm256_setzero_si256();
  Prescan found = {to, false};
  for (u32 from = 0;;) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + from));
    newlines = _mm256_or_si256(newlines, _mm256_or_si256(_mm256_cmpeq_epi8(v, lf), _mm256_cmpeq_epi8(v, cr)));
    const u32 hits = static_cast<u32>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, backslash)));
    const u32 at = hits ? from + trailing_zeros(hits) : to;
    found.backslash = at < found.backslash ? at : found.backslash;
    if (from + 32 >= to) break;
    from = from + 64 <= to ? from + 32 : to - 32;  // the last load covers some bytes again
  }
  found.newline = _mm256_movemask_epi8(newlines) != 0;
  return found;
}
#endif

// Over [0, to). Two searches would cost a small frame two mispredicted loop ends instead of one.
FG_INLINE Prescan prescan(const u8* b, u32 to, Width width) {
#if FG_AVX2
  if (FG_LIKELY(width >= kAvx2 && to >= 32)) return prescan_avx2(b, to);
#else
  (void)width;
#endif
  Prescan found = {to, false};
#if FG_SSE2
  if (FG_LIKELY(to >= 16)) {
    const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r'), backslash = _mm_set1_epi8('\\');
    __m128i newlines = _mm_setzero_si128();
    u32 from = 0;
    for (;;) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + from));
      newlines = _mm_or_si128(newlines, _mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr)));
      const u32 hits = static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, backslash)));
      const u32 at = hits ? from + trailing_zeros(hits) : to;
      found.backslash = at < found.backslash ? at : found.backslash;
      if (from + 16 >= to) break;
      from = from + 32 <= to ? from + 16 : to - 16;  // the last load covers some bytes again
    }
    found.newline = _mm_movemask_epi8(newlines) != 0;
    return found;
  }
#endif
  for (u32 i = to; i-- > 0;) {
    if (b[i] == '\\') found.backslash = i;
    found.newline |= b[i] == '\n' || b[i] == '\r';
  }
  return found;
}

// The first byte of the first ill-formed UTF-8 sequence, or `size`. Table 3-7 of the Unicode standard.
inline u32 ill_formed_utf8(const u8* b, u32 size) {
  for (u32 p = 0; p < size;) {
    const u8 c = b[p];
    if (c < 0x80) {
      p++;
      continue;
    }
    const u32 more = c < 0xC2 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : 0;
    const u8 low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80, high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (more == 0 || size - p <= more || b[p + 1] < low || b[p + 1] > high) return p;
    for (u32 i = 2; i <= more; i++)
      if ((b[p + i] & 0xC0) != 0x80) return p;
    p += more + 1;
  }
  return size;
}

// A stack that grows by doubling and never shrinks on its own; memory failure is a return value.
template <class T>
class Stack {
 public:
  Stack() = default;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() { free(items_); }

  FG_INLINE bool push(const T& item) noexcept {
    if (FG_UNLIKELY(size_ == room_) && !grow()) return false;
    items_[size_++] = item;
    return true;
  }
  FG_INLINE T pop() noexcept { return items_[--size_]; }
  FG_INLINE T& operator[](u32 i) noexcept { return items_[i]; }
  FG_INLINE T* data() noexcept { return items_; }
  FG_INLINE u32 size() const noexcept { return size_; }
  FG_INLINE u32 room() const noexcept { return room_; }
  FG_INLINE void cut(u32 size) noexcept { size_ = size; }
  FG_COLD bool grow() noexcept {
    const u32 room = room_ ? room_ * 2 : 64;
    if (room < room_) return false;
    T* items = static_cast<T*>(realloc(static_cast<void*>(items_), sizeof(T) * size_t(room)));
    if (!items) return false;
    items_ = items;
    room_ = room;
    return true;
  }
  // Room for `room` items in all.
  bool reserve(u32 room) noexcept {
    while (room_ < room)
      if (!grow()) return false;
    return true;
  }
  // Gives an outlier's memory back. Only for an empty stack.
  void trim(u32 keep) noexcept {
    if (room_ <= keep) return;
    free(items_);
    items_ = nullptr;
    size_ = room_ = 0;
  }

 private:
  T* items_ = nullptr;
  u32 size_ = 0, room_ = 0;
};

}  // namespace fg
