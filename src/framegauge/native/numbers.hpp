// Numbers and literals as tokens. Nothing is converted to a floating point value: ids are compared by their spelling.
#pragma once
#include "bytes.hpp"

namespace fg {

// The high bit of every byte that is no digit.
FG_INLINE u64 no_digits(u64 v) {
  const u64 x = v ^ 0x3030303030303030u;
  return (((x & 0x7F7F7F7F7F7F7F7Fu) + 0x7676767676767676u) | x) & 0x8080808080808080u;
}

// One past the last digit of the run that starts at p, at most `stop`. Loads up to `room`, the end of the frame: counting eight bytes at
// once leaves no loop to mispredict for the usual short number.
FG_INLINE u32 digits_end(const u8* b, u32 p, u32 stop, u32 room) {
  while (FG_LIKELY(room - p >= 8 && p < stop)) {
    const u64 other = no_digits(load8(b + p));
    if (FG_LIKELY(other)) {
      p += trailing_zeros(other) / 8;
      return p < stop ? p : stop;
    }
    p += 8;
  }
  while (p < stop && is_digit(b[p])) p++;
  return p < stop ? p : stop;
}

// One past the number that starts at p, or 0 where the grammar is broken before `stop`. `digits` counts those of the legal
// beginning in either case.
FG_INLINE u32 number_end(const u8* b, u32 p, u32 stop, u32 room, u32& digits) {
  const u32 first = p + (b[p] == '-');
  u32 q = first;
  if (FG_UNLIKELY(first >= stop)) return digits = 0, 0;
  q = b[first] == '0' ? first + 1 : digits_end(b, first, stop, room);
  digits = q - first;
  if (FG_UNLIKELY(digits == 0)) return 0;
  if (FG_LIKELY(q >= stop)) return q;
  if (b[q] == '.') {
    const u32 end = digits_end(b, q + 1, stop, room);
    digits += end - q - 1;
    if (end == q + 1) return 0;
    q = end;
  }
  if (q < stop && (b[q] | 0x20) == 'e') {
    u32 from = q + 1;
    if (from < stop && (b[from] == '+' || b[from] == '-')) from++;
    const u32 end = digits_end(b, from, stop, room);
    digits += end - from;
    if (end == from) return 0;
    q = end;
  }
  return q;
}

// One past the literal of that type at p, or 0.
FG_INLINE u32 literal_end(const u8* b, u32 p, u32 stop, u8 type) {
  if (stop - p < 4) return 0;
  u32 word;
  memcpy(&word, b + p, 4);
  if (type == FG_FALSE) return stop - p >= 5 && memcmp(b + p, "false", 5) == 0 ? p + 5 : 0;
  return memcmp(&word, type == FG_TRUE ? "true" : "null", 4) == 0 ? p + 4 : 0;
}

struct NumberFacts {
  bool integral;  // its value has no fractional part
  bool literal;   // spelled as an integer: no point, no exponent, not -0
  bool beyond;    // integral, and its magnitude is above the bound given
  int64_t value;  // integral and not beyond: the value
};

// Exact, by digits; linear in the token. The bounds are decimal magnitudes of at most 18 digits without leading zeros.
FG_COLD inline NumberFacts number_facts(const u8* b, u32 start, u32 stop, const char* positive_bound, const char* negative_bound) {
  const bool negative = b[start] == '-';
  const char* bound = negative ? negative_bound : positive_bound;
  u32 p = start + negative;
  const u32 whole = p;
  u32 point = 0, mantissa_stop = stop;
  int64_t exponent = 0;
  for (; p < stop; p++) {
    if (b[p] == '.') point = p;
    if ((b[p] | 0x20) == 'e') {
      mantissa_stop = p;
      u32 q = p + 1;
      const bool below = q < stop && b[q] == '-';
      if (q < stop && !is_digit(b[q])) q++;
      // Saturated far above any number of digits that fits a frame.
      for (; q < stop; q++) exponent = exponent > 10000000000 ? exponent : exponent * 10 + (b[q] - '0');
      if (below) exponent = -exponent;
      break;
    }
  }
  const bool plain = point == 0 && mantissa_stop == stop;
  const u32 fraction = point ? mantissa_stop - point - 1 : 0;
  // Significant digits: from the first that is not 0 to the last that is not 0.
  u32 first = whole, last = mantissa_stop;
  while (first < mantissa_stop && (b[first] == '0' || b[first] == '.')) first++;
  if (first == mantissa_stop) return {true, plain && !negative, false, 0};
  u32 zeros = 0;
  while (b[last - 1] == '0' || b[last - 1] == '.') zeros += b[--last] == '0';
  const u32 digits = last - first - (point > first && point < last);
  const int64_t power = exponent - fraction + zeros;  // of the last significant digit
  NumberFacts facts = {power >= 0, plain, false, 0};
  if (power < 0) return facts;
  const u32 bound_size = static_cast<u32>(strlen(bound));
  const uint64_t size = digits + static_cast<uint64_t>(power);
  if (size > bound_size) {
    facts.beyond = true;
    return facts;
  }
  const bool longest = size == bound_size;
  int order = 0;  // of the digits against the bound's
  u32 at = first;
  for (u32 i = 0; i < size; i++) {
    if (at == point) at++;
    const int digit = i < digits ? b[at++] - '0' : 0;
    if (longest && order == 0) order = digit - (bound[i] - '0');
    facts.value = facts.value * 10 + digit;
  }
  facts.beyond = order > 0;
  if (negative) facts.value = -facts.value;
  return facts;
}

}  // namespace fg
