// What exactly is wrong with a frame that the walk refused: docs/facts.md section 2, byte by byte. Cold and complete: it reads the frame on
// its own, needs no index, and is linear (nesting costs one bit a level, plus a counter per open object).
#pragma once
#include <initializer_list>

#include "json/numbers.hpp"
#include "json/strings.hpp"

namespace fg {

struct Fault {
  u8 rule = FG_NO_FAULT;
  u32 at = 0;
  u32 json_start = 0;
};

inline bool is_word_byte(u8 c) {
  return c >= 0x80 || c == '_' || c == '$' || is_digit(c) || static_cast<u8>((c | 0x20) - 'a') < 26;
}

// Reads one JSON text. first_fault() is the only entry; it may be called again on another part.
class FaultReader {
 public:
  FaultReader(const u8* b, u32 size, const fg_limits& limits) : b_(b), size_(size), limits_(limits) {}

  // The first fault at or after `from`, where a text starts; a limit counts. `object`: the text is one whole object.
  Fault first_fault(u32 from, bool& object) {
    from_ = from, fault_ = Fault(), depth_ = 0, tokens_ = 0, items_ = 0, end_ = 0;
    members_.cut(0), kinds_.cut(0);
    bracket_only_ = numbers_only_ = true;
    top_ = FG_ABSENT;
    read();
    object = top_ == FG_OBJECT && fault_.rule == FG_NO_FAULT;
    return fault_;
  }

  // One past the object that starts at `from` and may have anything behind it; 0 where none is complete there. `seen`: how far was read.
  u32 object_end(u32 from, u32& seen) {
    bool object;
    first_fault(from, object);
    seen = fault_.rule == FG_NO_FAULT ? size_ : fault_.at;
    return top_ == FG_OBJECT ? end_ : 0;
  }

  bool no_memory() const { return no_memory_; }

 private:
  enum State { kValue, kKeyOrClose, kKey, kColon, kAfterValue, kFirstValue };

  // Every reader below returns the offset to go on from, or kStop with fault_ or no_memory_ set. In a frame of 4 GiB - 1 its end is the
  // same number, with neither of them set.
  static constexpr u32 kStop = 0xFFFFFFFFu;

  u32 fault(u8 rule, u32 at) {
    fault_.rule = rule, fault_.at = at;
    return kStop;
  }

  bool stopped(u32 p) const { return p == kStop && (fault_.rule != FG_NO_FAULT || no_memory_); }

  u32 skip_blanks(u32 p) const {
    while (p < size_ && kByte.blank[b_[p]]) p++;
    return p;
  }

  u32 word_end(u32 p) const {
    if (p >= size_ || is_digit(b_[p])) return p;
    while (p < size_ && is_word_byte(b_[p])) p++;
    return p;
  }

  bool word_is(u32 p, u32 end, const char* text) const { return end - p == strlen(text) && memcmp(b_ + p, text, end - p) == 0; }

  bool begins_literal(u32 p, u32 end) const {
    for (const char* text : {"true", "false", "null"})
      if (end > p && end - p <= strlen(text) && memcmp(b_ + p, text, end - p) == 0) return true;
    return false;
  }

  bool is_literal(u32 p, u32 end) const { return word_is(p, end, "true") || word_is(p, end, "false") || word_is(p, end, "null"); }

  bool digit_at(u32 p) const { return p < size_ && is_digit(b_[p]); }
  bool comment_at(u32 p) const { return p + 1 < size_ && b_[p] == '/' && (b_[p + 1] == '/' || b_[p + 1] == '*'); }
  bool infinity_at(u32 p) const { return word_is(p, word_end(p), "Infinity"); }
  bool in_object() { return depth_ && (kinds_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64) & 1); }
  bool in_top_array() const { return depth_ == 1 && top_ == FG_ARRAY; }

  // Section 2.1 (a).
  bool is_text(u32 p, bool key_due) const {
    if (!bracket_only_) return false;
    const u8 c = b_[p];
    if (c != 0 && strchr("\"',:[]{}", c)) return false;
    if (is_digit(c) || ((c == '-' || c == '+' || c == '.') && digit_at(p + 1))) return false;
    if (c == '-') return !infinity_at(p + 1);
    const u32 end = word_end(p);
    for (const char* text : {"NaN", "Infinity", "True", "False", "None", "undefined"})
      if (word_is(p, end, text)) return false;
    if (begins_literal(p, end)) return false;
    if (!key_due || end == p) return true;
    for (u32 i = p; i < end; i++)
      if (b_[i] >= 0x80) return true;
    const u32 colon = skip_blanks(end);
    return !(colon < size_ && b_[colon] == ':');
  }

  void read() {
    u32 p = from_;
    State state = kValue;
    for (;;) {
      p = skip_blanks(p);
      if (top_ != FG_ABSENT && depth_ == 0 && state == kAfterValue) {
        if (p < size_) after_top(p);
        return;
      }
      if (p >= size_) {
        fault(FG_TRUNCATED, size_);
        return;
      }
      p = step(p, state);
      if (stopped(p)) return;
    }
  }

  u32 step(u32 p, State& state) {
    const u8 c = b_[p];
    switch (state) {
      case kFirstValue:
        if (c == ']') return close(p, state);
        return value(p, state);
      case kValue:
        return value(p, state);
      case kKeyOrClose:
        if (c == '}') return close(p, state);
        return key(p, state);
      case kKey:
        return key(p, state);
      case kColon:
        if (c != ':') return fault(comment_at(p) ? FG_BAD_LITERAL : FG_BAD_STRUCTURE, p);
        state = kValue;
        return p + 1;
      case kAfterValue:
        break;
    }
    if (c == ',') {
      state = in_object() ? kKey : kValue;
      return p + 1;
    }
    if (c == (in_object() ? '}' : ']')) return close(p, state);
    return fault(comment_at(p) ? FG_BAD_LITERAL : FG_BAD_STRUCTURE, p);
  }

  // Section 2.1 (b) and (c), and trailing-data.
  void after_top(u32 p) {
    const u8 c = b_[p];
    const bool closes = c == ',' || c == ']' || c == '}';
    if (top_ != FG_OBJECT && top_ != FG_ARRAY) {
      fault(closes ? FG_BAD_STRUCTURE : FG_NOT_JSON, p);
    } else {
      fault(top_ == FG_ARRAY && numbers_only_ && !closes ? FG_NOT_JSON : FG_TRAILING_DATA, p);
    }
  }

  u32 close(u32 p, State& state) {
    if (in_object()) members_.pop();
    depth_--;
    tokens_++, bracket_only_ = false;
    state = kAfterValue;
    if (depth_ == 0) end_ = p + 1;
    return p + 1;
  }

  u32 open(u32 p, State& state) {
    if (depth_ + 1 > limits_.max_depth) return fault(FG_NESTING_LIMIT, p);
    const bool object = b_[p] == '{';
    if (depth_ % 64 == 0 && kinds_.size() <= depth_ / 64 && !kinds_.push(0)) return no_memory_ = true, kStop;
    u64& word = kinds_[depth_ / 64];
    const u64 bit = u64(1) << (depth_ % 64);
    word = object ? word | bit : word & ~bit;
    if (object && !members_.push(0)) return no_memory_ = true, kStop;
    if (depth_) numbers_only_ = false;
    depth_++;
    tokens_++;
    if (top_ == FG_ABSENT) top_ = object ? FG_OBJECT : FG_ARRAY;
    state = object ? kKeyOrClose : kFirstValue;
    return p + 1;
  }

  u32 key(u32 p, State& state) {
    const u8 c = b_[p];
    if (c != '"') {
      if (is_text(p, true)) return fault(FG_NOT_JSON, p);
      const u32 end = word_end(p);
      const bool word = end > p && !is_literal(p, end);
      return fault(word || c == '\'' || comment_at(p) ? FG_BAD_LITERAL : FG_BAD_STRUCTURE, p);
    }
    u32& count = members_[members_.size() - 1];
    if (count >= limits_.max_members) return fault(FG_TOO_MANY_MEMBERS, p);
    count++;
    state = kColon;
    return string(p);
  }

  u32 value(u32 p, State& state) {
    const u8 type = kByte.type[b_[p]];
    if (in_top_array() && type != FG_ABSENT && items_++ >= limits_.max_batch_items) return fault(FG_BATCH_TOO_LARGE, p);
    if (type == FG_OBJECT || type == FG_ARRAY) return open(p, state);
    const u32 end = type == FG_STRING ? string(p) : type == FG_NUMBER ? number(p) : word(p);
    if (stopped(end)) return kStop;
    if (type != FG_NUMBER) numbers_only_ = false;
    if (top_ == FG_ABSENT) top_ = type;
    state = kAfterValue;
    return end;
  }

  u32 string(u32 p) {
    u32 q = p + 1;
    for (; q < size_ && b_[q] != '"';) {
      if (b_[q] < 0x20) return fault(FG_RAW_CONTROL_CHAR, q);
      if (b_[q] != '\\') {
        q++;
        continue;
      }
      const u32 end = escape(q);
      if (stopped(end)) return kStop;
      q = end;
    }
    if (q >= size_) return fault(FG_TRUNCATED, size_);
    tokens_++, bracket_only_ = false;
    return q + 1;
  }

  u32 escape(u32 p) {
    if (p + 1 >= size_) return fault(FG_TRUNCATED, size_);
    const u8 kind = kByte.escape[b_[p + 1]];
    if (kind == 0) return fault(FG_BAD_ESCAPE, p);
    if (kind == 1) return p + 2;
    for (u32 i = 2; i < 6; i++) {
      if (size_ - p <= i) return fault(FG_TRUNCATED, size_);
      if (!kByte.hex[b_[p + i]]) return fault(FG_BAD_ESCAPE, p);
    }
    return p + 6;
  }

  // Does the byte behind a number make it count as one in 2.1 (b) and (d)?
  bool followed_by_text(u32 p) const {
    p = skip_blanks(p);
    return p < size_ && b_[p] != ',' && b_[p] != ']' && b_[p] != '}';
  }

  u32 number(u32 p) {
    // Only at the top, or right after the frame's first token, may text after a number make the frame "not JSON".
    const bool lone = depth_ == 0, leading = in_top_array() && tokens_ == 1;
    const u32 first = p + (b_[p] == '-');
    if (first >= size_) return fault(FG_TRUNCATED, size_);
    if (!is_digit(b_[first])) {
      if (infinity_at(first)) return fault(FG_NON_FINITE_NUMBER, p);
      return fault(is_text(p, false) ? FG_NOT_JSON : FG_BAD_NUMBER, p);
    }
    u32 digits;
    u32 end = number_end(b_, p, size_, size_, digits);
    if (digits > limits_.max_number_digits) return fault(FG_NUMBER_TOO_LONG, p);
    if (!end) return fault(unfinished(first) ? FG_TRUNCATED : FG_BAD_NUMBER, unfinished(first) ? size_ : p);
    if (b_[first] == '0' && first + 1 < size_ && (b_[first + 1] | 0x20) == 'x') return fault(FG_BAD_NUMBER, p);
    if (b_[first] == '0' && digit_at(first + 1)) {
      u32 more = first;
      while (digit_at(more + 1) && b_[more] == '0') more++;
      u32 ignored;
      end = number_end(b_, more, size_, size_, ignored);
      if (!end || !(lone || leading) || !followed_by_text(end)) return fault(FG_BAD_NUMBER, p);
      return fault(FG_NOT_JSON, skip_blanks(end));
    }
    if (leading) {
      const u32 next = skip_blanks(end);
      if (next < size_ && b_[next] != ',' && b_[next] != ']') return fault(FG_NOT_JSON, next);
    }
    if (!lone && !leading && end < size_ && (is_word_byte(b_[end]) || b_[end] == '.' || b_[end] == '+' || b_[end] == '-'))
      return fault(FG_BAD_NUMBER, p);
    tokens_++, bracket_only_ = false;
    return end;
  }

  // A number that lacks digits: only because the frame ends?
  bool unfinished(u32 p) const {
    p = digits_end(b_, p, size_, size_);
    if (p < size_ && b_[p] == '.') {
      const u32 end = digits_end(b_, p + 1, size_, size_);
      if (end == p + 1) return end == size_;
      p = end;
    }
    if (p < size_ && (b_[p] | 0x20) == 'e') p++;
    if (p < size_ && (b_[p] == '+' || b_[p] == '-')) p++;
    return p == size_;
  }

  u32 word(u32 p) {
    const u8 type = kByte.type[b_[p]];
    u32 end = type == FG_ABSENT ? 0 : literal_end(b_, p, size_, type);
    if (end && !(end < size_ && is_word_byte(b_[end]))) {
      tokens_++, bracket_only_ = false;
      return end;
    }
    end = word_end(p);
    if (end == size_ && begins_literal(p, end)) return fault(FG_TRUNCATED, size_);
    if (word_is(p, end, "NaN") || word_is(p, end, "Infinity")) return fault(FG_NON_FINITE_NUMBER, p);
    const u8 c = b_[p];
    if (c == ',' || c == ':' || c == ']' || c == '}') return fault(FG_BAD_STRUCTURE, p);
    if ((c == '+' || c == '.') && digit_at(p + 1)) return fault(FG_BAD_NUMBER, p);
    return fault(is_text(p, false) ? FG_NOT_JSON : FG_BAD_LITERAL, p);
  }

  const u8* b_;
  u32 size_;
  const fg_limits& limits_;
  u32 from_ = 0;
  Fault fault_;
  u32 depth_ = 0, tokens_ = 0, items_ = 0;
  u32 end_ = 0;  // one past the top-level container, once it is closed
  u8 top_ = FG_ABSENT;
  bool bracket_only_ = true, numbers_only_ = true, no_memory_ = false;
  Stack<u64> kinds_;    // one bit per open bracket: 1 object
  Stack<u32> members_;  // of each open object
};

constexpr fg_limits kUnlimited = {FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT};

// A complete object that ends the frame, for text before it: the first 8 `{"` only, so that the search is linear.
inline bool find_object(const u8* b, u32 size, u32& start, bool& no_memory) {
  FaultReader reader(b, size, kUnlimited);
  u32 tries = 0;
  for (u32 p = 0; p + 1 < size && tries < 8; p++) {
    const void* hit = memchr(b + p, '{', size - p - 1);
    if (!hit) return false;
    p = static_cast<u32>(static_cast<const u8*>(hit) - b);
    if (b[p + 1] != '"') continue;
    tries++;
    bool object;
    reader.first_fault(p, object);
    if (reader.no_memory()) return no_memory = true, false;
    if (object) return start = p, true;
  }
  return false;
}

// Names the fault of a frame of which at least one byte is not blank. FG_NO_FAULT where there is none.
inline Fault find_fault(const u8* b, u32 size, const fg_limits& limits, bool& no_memory) {
  Fault fault;
  const u32 bad = ill_formed_utf8(b, size);
  if (bad < size) {
    fault.rule = FG_INVALID_UTF8, fault.at = bad;
    return fault;
  }
  FaultReader reader(b, size, limits);
  bool object;
  if (size > 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF) {
    const Fault rest = reader.first_fault(3, object);
    if (reader.no_memory()) return no_memory = true, fault;
    if (rest.rule == FG_NO_FAULT || rest.rule >= FG_FIRST_LIMIT) {
      fault.rule = FG_UTF8_BOM;
      return fault;
    }
  }
  fault = reader.first_fault(0, object);
  no_memory = reader.no_memory();
  if (fault.rule == FG_NOT_JSON && find_object(b, size, fault.json_start, no_memory)) fault.rule = FG_LEADING_GARBAGE;
  return fault;
}

}  // namespace fg
