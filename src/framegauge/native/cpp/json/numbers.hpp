// Numbers and literals as tokens. Nothing is converted to a floating point value: ids are compared by their spelling.
#pragma once
#include "json/bytes.hpp"

namespace fg {

// The high bit of every byte that is not a digit.
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

// Is b[start..stop) so plain a number that it could be any other id?
FG_INLINE bool is_plain_id(const u8* b, u32 start, u32 stop) {
  return stop - start <= 15 && (b[start] != '0' || stop - start == 1) && digits_end(b, start, stop, stop) == stop;
}

// One past the literal of that type at p, or 0.
FG_INLINE u32 literal_end(const u8* b, u32 p, u32 stop, u8 type) {
  if (stop - p < 4) return 0;
  u32 word;
  memcpy(&word, b + p, 4);
  if (type == FG_FALSE) return stop - p >= 5 && memcmp(b + p, "false", 5) == 0 ? p + 5 : 0;
  return memcmp(&word, type == FG_TRUE ? "true" : "null", 4) == 0 ? p + 4 : 0;
}

// A number's digits, without the zeros around them.
struct Decimal {
  u32 first, last, point;  // the digits are in [first, last), perhaps with a point among them
  u32 digits;              // how many; 0: the number is zero
  int64_t power;           // of ten, of the last digit
  bool negative;
  bool plain;  // without point and exponent
};

FG_COLD inline Decimal decimal(const u8* b, u32 start, u32 stop) {
  Decimal d = {0, stop, 0, 0, 0, b[start] == '-', true};
  const u32 whole = start + d.negative;
  u32 mantissa_stop = stop;
  int64_t exponent = 0;
  for (u32 p = whole; p < stop; p++) {
    if (b[p] == '.') d.point = p;
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
  d.plain = d.point == 0 && mantissa_stop == stop;
  const u32 fraction = d.point ? mantissa_stop - d.point - 1 : 0;
  // Significant digits: from the first that is not 0 to the last that is not 0.
  d.first = whole, d.last = mantissa_stop;
  while (d.first < mantissa_stop && (b[d.first] == '0' || b[d.first] == '.')) d.first++;
  if (d.first == mantissa_stop) return d;
  u32 zeros = 0;
  while (b[d.last - 1] == '0' || b[d.last - 1] == '.') zeros += b[--d.last] == '0';
  d.digits = d.last - d.first - (d.point > d.first && d.point < d.last);
  d.power = exponent - fraction + zeros;
  return d;
}

struct NumberFacts {
  bool integral;  // its value has no fractional part
  bool literal;   // spelled as an integer: no point, no exponent, not -0
  bool beyond;    // integral, and its magnitude is above the bound given
  int64_t value;  // integral and not beyond: the value
};

// Exact, by digits; linear in the token. The bounds are decimal magnitudes of at most 18 digits without leading zeros.
FG_COLD inline NumberFacts number_facts(const u8* b, u32 start, u32 stop, const char* positive_bound, const char* negative_bound) {
  const Decimal d = decimal(b, start, stop);
  const char* bound = d.negative ? negative_bound : positive_bound;
  if (!d.digits) return {true, d.plain && !d.negative, false, 0};
  NumberFacts facts = {d.power >= 0, d.plain, false, 0};
  if (d.power < 0) return facts;
  const u32 bound_size = static_cast<u32>(strlen(bound));
  const uint64_t size = d.digits + static_cast<uint64_t>(d.power);
  if (size > bound_size) {
    facts.beyond = true;
    return facts;
  }
  const bool longest = size == bound_size;
  int order = 0;  // of the digits against the bound's
  u32 at = d.first;
  for (u32 i = 0; i < size; i++) {
    if (at == d.point) at++;
    const int digit = i < d.digits ? b[at++] - '0' : 0;
    if (longest && order == 0) order = digit - (bound[i] - '0');
    facts.value = facts.value * 10 + digit;
  }
  facts.beyond = order > 0;
  if (d.negative) facts.value = -facts.value;
  return facts;
}

// Is the number in [low, high], where INT32_MIN and INT32_MAX mean: without a bound? Exact.
FG_COLD inline bool within(const u8* b, u32 start, u32 stop, int32_t low, int32_t high) {
  constexpr int64_t kLarge = 10000000000;  // larger than any bound
  const Decimal d = decimal(b, start, stop);
  const int64_t size = d.digits + d.power;  // of the part before the point
  int64_t whole = size > 10 ? kLarge : 0;
  u32 at = d.first;
  for (int64_t i = 0; i < size && whole < kLarge; i++) {
    if (at == d.point) at++;
    whole = whole * 10 + (i < d.digits ? b[at++] - '0' : 0);
  }
  const int64_t outward = whole + (d.digits && d.power < 0);  // the next integer from zero, where there is a fraction
  const int64_t floor = d.negative ? -outward : whole, ceiling = d.negative ? -whole : outward;
  return (low == INT32_MIN || floor >= low) && (high == INT32_MAX || ceiling <= high);
}

}  // namespace fg
