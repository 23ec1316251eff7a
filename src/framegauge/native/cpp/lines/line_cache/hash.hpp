// The hash of a line that finds its pattern (short.hpp): over its tokens, made with hardly a branch.
#pragma once
#include "lines/line.hpp"

namespace fg {

constexpr u64 kFactor = 0x9E3779B97F4A7C15u;

struct LineHash {
  static constexpr u32 kMost = 64, kMostly = 48;  // tokens
  u64 value;  // of the first byte of each token, of keys the second one too, and of the method
  u32 count;  // of tokens; 0: too many, or none
};

#if FG_AVX2

#define FG_WITH_AVX2 __attribute__((target("avx2,bmi")))

// Bytes that are ones up to the n-th: loaded from `before` - n.
struct UpTo {
  u8 of[4 * LineHash::kMost];
  constexpr UpTo() : of() {
    for (u32 i = 0; i < 2 * LineHash::kMost; i++) of[i] = 0xFF;
  }
  const u8* before() const { return of + 2 * LineHash::kMost; }
};
constexpr UpTo kUpTo;

FG_INLINE __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
FG_WITH_AVX2 FG_INLINE __m256i load32(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

// How many of `count` ascending offsets are below `stop`; a multiple of eight.
FG_WITH_AVX2 FG_INLINE u32 count_below(const u32* offsets, u32 count, u32 stop) {
  const __m256i bound = _mm256_set1_epi32(static_cast<int>(stop));
  __m256i below = _mm256_setzero_si256();
  for (u32 i = 0; i < count; i += 8) below = _mm256_sub_epi32(below, _mm256_cmpgt_epi32(bound, load32(offsets + i)));
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(below), _mm256_extracti128_si256(below, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return static_cast<u32>(_mm_cvtsi128_si32(sum));
}

// The first two bytes of 8 tokens.
FG_WITH_AVX2 FG_INLINE __m128i two_of_8(const u8* b, const u32* tokens) {
  const auto two = [&](u32 i) {
    u16 v;
    memcpy(&v, b + tokens[i], 2);
    return static_cast<int>(v);
  };
  __m128i v = _mm_cvtsi32_si128(two(0));
  v = _mm_insert_epi16(v, two(1), 1), v = _mm_insert_epi16(v, two(2), 2), v = _mm_insert_epi16(v, two(3), 3);
  v = _mm_insert_epi16(v, two(4), 4), v = _mm_insert_epi16(v, two(5), 5), v = _mm_insert_epi16(v, two(6), 6);
  return _mm_insert_epi16(v, two(7), 7);
}

FG_WITH_AVX2 FG_INLINE __m256i two_of_16(const u8* b, const u32* tokens) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(two_of_8(b, tokens)), two_of_8(b, tokens + 8), 1);
}

// Of 16 tokens what the hash is made of: the first byte, one for all numbers, and the second byte of keys. `next`: the
// tokens behind them.
FG_WITH_AVX2 FG_INLINE __m256i kept_of_16(__m256i v, __m256i next) {
  const __m256i low = _mm256_set1_epi16(0xFF);
  const __m256i behind = _mm256_alignr_epi8(_mm256_permute2x128_si256(v, next, 0x21), v, 2);
  const __m256i first = _mm256_and_si256(v, low);
  const __m256i digits = _mm256_and_si256(_mm256_cmpgt_epi16(first, _mm256_set1_epi16('0' - 1)), _mm256_cmpgt_epi16(_mm256_set1_epi16('9' + 1), first));
  const __m256i numbers = _mm256_or_si256(digits, _mm256_cmpeq_epi16(first, _mm256_set1_epi16('-')));
  const __m256i keys = _mm256_cmpeq_epi16(_mm256_and_si256(behind, low), _mm256_set1_epi16(':'));
  return _mm256_or_si256(_mm256_blendv_epi8(first, _mm256_set1_epi16('0'), numbers), _mm256_and_si256(_mm256_andnot_si256(low, v), keys));
}

// Odd numbers for the sum over tokens that is the first part of a hash.
struct Weights {
  alignas(32) u16 of[LineHash::kMost];
  constexpr Weights() : of() {
    u64 x = kFactor;
    for (u32 i = 0; i < LineHash::kMost; i++) x = x * 6364136223846793005u + 1442695040888963407u, of[i] = static_cast<u16>(x >> 40 | 1);
  }
};
constexpr Weights kWeights;

// What tokens [from, to), of which the first `count` of all are the line's, add to its hash.
template <u32 from, u32 to>
FG_WITH_AVX2 FG_INLINE __m256i sum_tokens(const u8* b, const u32* tokens, u32 count) {
  const u8* const own = kUpTo.before() - 2 * count;
  __m256i sum = _mm256_setzero_si256(), v = two_of_16(b, tokens + from);
#if !defined(__clang__)
#pragma GCC unroll 4
#endif
  for (u32 i = from; i < to; i += 16) {
    const __m256i next = i + 16 < to ? two_of_16(b, tokens + i + 16) : _mm256_castsi128_si256(_mm_cvtsi32_si128(b[tokens[to]]));
    const __m256i kept = _mm256_and_si256(kept_of_16(v, next), load32(own + 2 * i));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(kept, load32(kWeights.of + i)));
    v = next;
  }
  return sum;
}

// `left`: tokens to the end of the index. StageOne::kLongSlack of them may be read, and 16 bytes behind each.
FG_WITH_AVX2 FG_INLINE void hash_line(const Line& line, u64 left, LineHash& hash) {
  const u8* const b = line.b;
  const u32* const tokens = line.tokens;
  hash.count = count_below(tokens, LineHash::kMostly, line.stop);
  __m256i sums = _mm256_setzero_si256();
  if (FG_UNLIKELY(hash.count == LineHash::kMostly)) {
    hash.count += count_below(tokens + LineHash::kMostly, LineHash::kMost - LineHash::kMostly, line.stop);
    if (left < hash.count) hash.count = static_cast<u32>(left);  // behind the index are copies of its last offset
    if (hash.count == LineHash::kMost) {
      hash.count = 0;
      return;
    }
    sums = sum_tokens<LineHash::kMostly, LineHash::kMost>(b, tokens, hash.count);
  }
  sums = _mm256_add_epi32(sums, sum_tokens<0, LineHash::kMostly>(b, tokens, hash.count));
  const __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  // The method, where it mostly is, by the end of its name: there methods differ most.
  u64 word, method = 0;
  memcpy(&word, "\"method\"", 8);
  for (u32 key = 1; key <= 9; key += 4) {
    const u32 stop = tokens[key + 3];
    method |= load8(b + (stop < 8 ? 0 : stop - 8)) & (u64(0) - static_cast<u64>(load8(b + tokens[key]) == word));
  }
  const u64 low = static_cast<u64>(_mm_cvtsi128_si64(sum)), high = static_cast<u64>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum)));
  // Blanks between tokens belong to the pattern: the first colon shows whether there are any.
  hash.value = fold_multiply(low ^ kFactor ^ (tokens[3] - tokens[2]), high ^ method * kFactor);
}

#endif

}  // namespace fg
