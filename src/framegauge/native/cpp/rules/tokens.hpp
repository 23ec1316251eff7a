// The tokens of a frame that is judged, and the only way to the bytes behind them: code that takes the text of a
// value has read it.
#pragma once
#include "frame/scratch.hpp"
#include "rules/values_read.hpp"

namespace fg {

struct Depths {
  signed char of[256];
  constexpr Depths() : of() {
    for (const u8 c : {'{', '['}) of[c] = 1;
    for (const u8 c : {'}', ']'}) of[c] = -1;
  }
};
constexpr Depths kDepths;

// A string: its quotes are at `start` and `stop`. Only in a buffer that changed while it was read these are one.
struct Text {
  const u8* b;
  u32 start, stop;
  bool room;  // 8 bytes may be loaded from the text on

  bool broken() const { return stop <= start; }
  u32 size() const { return stop - start - 1; }
  const u8* bytes() const { return b + start + 1; }
};

// b[start..stop) with that many digits; stop is 0 where a buffer changed while it was read.
struct Number {
  const u8* b;
  u32 start, stop, digits;

  bool plain() const { return digits == stop - start; }  // nothing but digits
};

class Tokens {
 protected:
  Tokens(const u8* data, u32 size, const u32* end, ValuesRead* read) : end_(end), read_(read), b_(data), size_(size) {}

  // The first byte of the token at hand: its kind.
  FG_INLINE u8 first() const { return b_[*t_]; }
  FG_INLINE u32 next_start() const { return t_ + 1 < end_ ? t_[1] : size_; }

  // A key. Keys are not values: lines that are alike have the same ones.
  FG_INLINE Text key() const { return string(); }

  // The value at hand, which counts as read from now on.
  FG_INLINE Text text() {
    read();
    return string();
  }
  FG_INLINE Number number() {
    read();
    Number number = {b_, *t_, 0, 0};
    number.stop = number_end(b_, *t_, next_start(), size_, number.digits);
    return number;
  }

  void skip() {
    int depth = 0;
    do depth += kDepths.of[b_[*t_++]];
    while (depth > 0 && t_ < end_);
  }

  // One past the value at hand.
  u32 value_end() {
    const u32* const start = t_;
    const u8 type = kByte.type[b_[*start]];
    u32 stop = next_start();
    if (type == FG_OBJECT || type == FG_ARRAY) {
      skip();
      stop = t_[-1] + 1;
      t_ = start;
      return stop;
    }
    while (stop > *start + 1 && kByte.blank[b_[stop - 1]]) stop--;
    return stop;
  }

  const u32* t_ = nullptr;  // the token at hand
  const u32* const end_;
  ValuesRead* const read_;  // null if reads are not recorded

 private:
  FG_INLINE void read() {
    if (FG_UNLIKELY(read_ != nullptr)) read_->text(*t_);
  }
  FG_INLINE Text string() const { return {b_, *t_, closing_quote(b_, *t_, next_start()), size_ - *t_ > 8}; }

  const u8* const b_;
  const u32 size_;
};

}  // namespace fg
