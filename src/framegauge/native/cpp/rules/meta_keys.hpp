// How keys of _meta and of extensions are spelt, and three values that W3C describes: docs/verdict.md section 6. Each text is read once,
// unescaped, character by character, and nothing of it is kept.
#pragma once
#include "json/strings.hpp"

namespace fg {

struct KeyBytes {
  enum : u8 { kLetter = 1, kDigit = 2, kDash = 4, kOther = 8 };  // kOther: what names may have inside, and labels not
  u8 of[128];
  constexpr KeyBytes() : of() {
    for (int c = 0; c < 26; c++) of['a' + c] = of['A' + c] = kLetter;
    for (int c = '0'; c <= '9'; c++) of[c] = kDigit;
    of[u8('-')] = kDash, of[u8('_')] = of[u8('.')] = kOther;
  }
};
constexpr KeyBytes kKeyBytes;

FG_INLINE bool is_decimal(u32 c) { return c - '0' < 10; }
FG_INLINE bool is_one_of(u32 c, const char* of) { return c && c < 0x80 && strchr(of, static_cast<char>(c)) != nullptr; }

// A key: a name, or labels, a slash and a name. Until the slash comes it may be either.
class KeySpelling {
 public:
  bool good = true, prefixed = false;
  bool second = false, second_last = false;  // is that label of the prefix a word that MCP reserves

  KeySpelling(const u8* b, u32 at, u32 stop) {
    if (FG_LIKELY(find_backslash(b, at, stop) == stop)) {
      for (; good && at < stop; at++) take(b[at]);
    } else {
      Characters text(b, at, stop);
      for (u32 c; good && (c = text.next()) != Characters::kEnd;) take(c);
    }
    good = good && (size_ == 0 || (name_ && alphanumeric_));
  }

 private:
  static constexpr u8 kAlphanumeric = KeyBytes::kLetter | KeyBytes::kDigit, kAny = 0xFF;

  FG_INLINE void take(u32 c) {
    if (c == '/') return end_prefix();
    const u8 kind = c < 0x80 ? kKeyBytes.of[c] : 0;
    if (!prefixed) take_label(c, kind);
    alphanumeric_ = (kind & kAlphanumeric) != 0;
    name_ = name_ && (kind & (size_ ? kAny : kAlphanumeric)) != 0;
    size_++;
  }

  FG_INLINE void take_label(u32 c, u8 kind) {
    if (c == '.') return end_label();
    labels_ok_ = labels_ok_ && (kind & (label_ ? kAlphanumeric | KeyBytes::kDash : KeyBytes::kLetter)) != 0;
    if (label_ < kLongest) text_[label_] = static_cast<char>(c);
    label_++;
  }

  // A dot, or the slash.
  void end_label() {
    labels_ok_ = labels_ok_ && label_ && alphanumeric_;
    const bool word = (label_ == 3 && memcmp(text_, "mcp", 3) == 0) || (label_ == kLongest && memcmp(text_, "modelcontextprotocol", kLongest) == 0);
    if (labels_++ == 1) second = word;
    second_last = last_, last_ = word;
    label_ = 0;
  }

  void end_prefix() {
    if (prefixed) {
      good = false;
      return;
    }
    end_label();
    good = labels_ok_, prefixed = true, name_ = true, size_ = 0;
  }

  static constexpr u32 kLongest = 20;
  char text_[kLongest];                    // of the label
  u32 size_ = 0, label_ = 0, labels_ = 0;  // characters of the name so far, of the label; labels that have ended
  bool name_ = true, labels_ok_ = true, alphanumeric_ = false, last_ = false;
};

// version "-" trace id "-" parent id "-" flags, in small hexadecimal digits; a later version may go on behind another dash.
inline bool is_traceparent(Characters text) {
  bool trace = false, parent = false, first_version = true, no_version = true;
  u32 n = 0;
  for (u32 c; (c = text.next()) != Characters::kEnd; n++) {
    if (n == 2 || n == 35 || n == 52 || n == 55) {
      if (c != '-') return false;
    } else if (n < 55) {
      if (!is_decimal(c) && c - 'a' >= 6) return false;
      if (n < 2) first_version = first_version && c == '0', no_version = no_version && c == 'f';
      else if (n < 35) trace = trace || c != '0';
      else if (n < 52) parent = parent || c != '0';
    }
  }
  return n >= 55 && trace && parent && !no_version && (n == 55 || !first_version);
}

// At most 32 members with commas between: key "=" value, or nothing.
inline bool is_tracestate(Characters text) {
  enum { kBefore, kKey, kValue, kAfter } state = kBefore;
  u32 members = 1, size = 0, solid = 0;  // characters of the key or value so far, and up to the last that is not blank
  for (;;) {
    const u32 c = text.next();
    const bool blank = c == ' ' || c == '\t';
    if (c == ',' || c == Characters::kEnd) {
      if (state == kKey || (state == kValue && (solid == 0 || solid > 256))) return false;
      if (c == Characters::kEnd) return true;
      if (++members > 32) return false;
      state = kBefore;
    } else if (state == kBefore && !blank) {
      if (!is_decimal(c) && c - 'a' >= 26) return false;
      state = kKey, size = 1;
    } else if (state == kKey) {
      if (c == '=') state = kValue, size = solid = 0;
      else if ((!is_decimal(c) && c - 'a' >= 26 && !is_one_of(c, "_-*/@")) || ++size > 256) return false;
    } else if (state == kValue) {
      size++;
      if (c == '\t') {
        if (solid == 0 || solid > 256) return false;
        state = kAfter;
      } else if (c < ' ' || c > '~' || c == '=') {
        return false;
      } else if (!blank) {
        solid = size;
      }
    } else if (!blank) {
      return false;
    }
  }
}

// Members with commas between: key "=" value, and behind semicolons properties, which may be a key alone.
inline bool is_baggage(Characters text) {
  enum { kBeforeKey, kKey, kAfterKey, kBeforeValue, kValue, kAfterValue } state = kBeforeKey;
  bool property = false;
  for (;;) {
    const u32 c = text.next();
    const bool key = state <= kAfterKey;
    if (c == ' ' || c == '\t') {
      if (state == kKey) state = kAfterKey;
      if (state == kValue) state = kAfterValue;
    } else if (c == ',' || c == ';' || c == Characters::kEnd) {
      if (key && (state == kBeforeKey || !property)) return false;
      if (c == Characters::kEnd) return true;
      state = kBeforeKey, property = c == ';';
    } else if (key && state != kBeforeKey && c == '=') {
      state = kBeforeValue;
    } else if (state == kBeforeKey || state == kKey) {
      if (c >= 0x80 || (!(kKeyBytes.of[c] & (KeyBytes::kLetter | KeyBytes::kDigit)) && !is_one_of(c, "!#$%&'*+-.^_`|~"))) return false;
      state = kKey;
    } else if (state == kBeforeValue || state == kValue) {
      if (c <= ' ' || c > '~' || c == '"' || c == '\\') return false;
      state = kValue;
    } else {
      return false;
    }
  }
}

// By the number of the key: traceparent, tracestate, baggage.
inline bool is_trace_value(u32 key, const u8* b, u32 at, u32 stop) {
  const Characters text(b, at, stop);
  return key == 0 ? is_traceparent(text) : key == 1 ? is_tracestate(text) : is_baggage(text);
}

}  // namespace fg
