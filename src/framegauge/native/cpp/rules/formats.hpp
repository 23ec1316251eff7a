// What a string has to be beyond a string, and how large a number may be. Every check is one pass over the value.
#pragma once
#include <initializer_list>

#include "core.h"
#include "json/numbers.hpp"
#include "json/strings.hpp"

namespace fg {

// Odd: right by one reading of the text, wrong by another.
enum Fit : u8 { kUnfit, kOdd, kFits };

struct TextTables {
  u8 base64[256];
  u8 scheme[256];  // RFC 3986: what follows the first letter of a scheme
  u8 uri[256];     // and what a URI consists of
  u8 token[256];   // RFC 2045: of a MIME type
  constexpr TextTables() : base64(), scheme(), uri(), token() {
    for (u8* table : {base64, scheme, uri, token}) {
      for (int c = 'a'; c <= 'z'; c++) table[c] = table[c - 32] = 1;
      for (int c = '0'; c <= '9'; c++) table[c] = 1;
    }
    set(base64, "+/"), set(scheme, "+-."), set(uri, "-._~:/?#[]@!$&'()*+,;=%"), set(token, "!#$%&'*+-.^_`{|}~");
  }

 private:
  static constexpr void set(u8 (&table)[256], const char* bytes) {
    for (; *bytes; bytes++) table[static_cast<u8>(*bytes)] = 1;
  }
};
constexpr TextTables kText;

FG_INLINE bool has(const u8 (&table)[256], u32 c) { return c < 256 && table[c]; }
FG_INLINE bool is_letter(u32 c) { return (c | 0x20) - 'a' < 26; }

// ---- base64

#if FG_AVX2
// The first byte of [p, stop) that is not of the alphabet, or where fewer than 32 are left. The bits of a byte's low and high nibble meet iff it
// is: 1: 2x with B and F; 2: 3x with 0 to 9; 4: 4x and 6x except 0; 8: 5x and 7x with 0 to A.
__attribute__((target("avx2"))) static inline u32 base64_blocks(const u8* b, u32 p, u32 stop) {
  const __m256i by_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(10, 14, 14, 14, 14, 14, 14, 14, 14, 14, 12, 5, 4, 4, 4, 5));
  const __m256i by_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 1, 2, 4, 8, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i low4 = _mm256_set1_epi8(0x0f), zero = _mm256_setzero_si256();
  for (; stop - p >= 32; p += 32) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p));
    const __m256i low = _mm256_shuffle_epi8(by_low, _mm256_and_si256(v, low4));
    const __m256i high = _mm256_shuffle_epi8(by_high, _mm256_and_si256(_mm256_srli_epi16(v, 4), low4));
    const u32 others = static_cast<u32>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(low, high), zero)));
    if (FG_UNLIKELY(others)) return p + trailing_zeros(others);
  }
  return p;
}
#endif

// One past the run of base64's alphabet that starts at p.
inline u32 base64_run(const u8* b, u32 p, u32 stop, Width width) {
#if FG_AVX2
  if (width >= kAvx2) p = base64_blocks(b, p, stop);
  if (width >= kAvx2 && stop - p >= 32) return p;
#else
  (void)width;
#endif
  for (; stop - p >= 8; p += 8) {
    u8 all = 1;
    for (u32 i = 0; i < 8; i++) all &= kText.base64[b[p + i]];
    if (!all) break;
  }
  while (p < stop && kText.base64[b[p]]) p++;
  return p;
}

// RFC 4648, section 4: that alphabet, padded. Line breaks, which RFC 2045 has, are odd.
inline Fit base64_fit(const u8* b, u32 p, u32 stop, Width width) {
  u32 count = 0, pads = 0;
  Fit fit = kFits;
  while (p < stop) {
    const u32 run = base64_run(b, p, stop, width);
    if (FG_UNLIKELY(pads && run > p)) return kUnfit;
    count += run - p;
    Characters rest(b, run, stop);
    const u32 c = run < stop ? rest.next() : Characters::kEnd;
    if (c == Characters::kEnd) break;
    p = rest.at();
    if (c == '=') pads++;
    else if (c == '\r' || c == '\n') fit = kOdd;
    else if (has(kText.base64, c) && !pads) count++;
    else return kUnfit;
    if (pads > 2) return kUnfit;
  }
  return count % 4 + pads == (pads ? 4 : 0) ? fit : kUnfit;
}

// ---- times

// The fields of a time by their letters in a picture.
struct Clock {
  u32 field[128];

  // Reads what the picture shows; a letter is a digit of its field, except W, which is literal.
  bool read(Characters& text, const char* picture) {
    Characters at = text;
    for (char before = 0; *picture; before = *picture++) {
      const u32 c = at.next();
      const u8 letter = static_cast<u8>(*picture);
      if (letter == 'W' || !is_letter(letter)) {
        if (c != letter) return false;
      } else {
        if (c - '0' > 9) return false;
        field[letter] = (before == *picture ? field[letter] * 10 : 0) + (c - '0');
      }
    }
    text = at;
    return true;
  }

  u32 said(char letter) const { return field[u8(letter)]; }
  bool between(char letter, u32 low, u32 high) const { return said(letter) >= low && said(letter) <= high; }

  bool right() const {
    const u32 year = said('Y'), month = said('M');
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const u32 days = month == 2 ? 28 + leap : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    const u32 last = said('m') + said('s') ? 23 : 24;
    return between('M', 1, 12) && between('D', 1, days) && between('w', 1, 53) && between('d', 1, 7) && between('o', 1, 365 + leap) &&
           between('h', 0, last) && between('m', 0, 59) && between('s', 0, 60) && between('H', 0, 23) && between('N', 0, 59);
  }
};

constexpr const char* kDates[] = {"YYYY-MM-DD", "YYYYMMDD", "YYYY-MM", "YYYY-Www-d", "YYYYWwwd", "YYYY-Www", "YYYYWww", "YYYY-ooo", "YYYYooo", "YYYY",
                                  "+YYYYYY-MM-DD", "-YYYYYY-MM-DD"};
constexpr const char* kTimes[] = {"hh:mm:ss", "hhmmss", "hh:mm", "hhmm", "hh"};
constexpr const char* kOffsets[] = {"HH:NN", "HHNN", "HH"};

// What follows a T: a time of day, perhaps with a fraction and an offset.
FG_COLD inline bool time_fits(Characters text, Clock clock) {
  u32 i = 0;
  while (i < 5 && !clock.read(text, kTimes[i])) i++;
  if (i == 5) return false;
  u32 c = text.next();
  if (c == '.' || c == ',') {
    u32 digits = 0;
    while ((c = text.next()) - '0' <= 9) digits = 1;
    if (!digits) return false;
  }
  if ((c | 0x20) == 'z') return text.next() == Characters::kEnd && clock.right();
  if (c == Characters::kEnd) return clock.right();
  if (c != '+' && c != '-') return false;
  for (i = 0; i < 3 && !clock.read(text, kOffsets[i]);) i++;
  return i < 3 && text.next() == Characters::kEnd && clock.right();
}

// ISO 8601, or the profile of it that RFC 3339 is: a date, perhaps reduced, and perhaps a time.
FG_COLD inline Fit time_fit(const u8* b, u32 p, u32 stop) {
  for (const char* picture : kDates) {
    Characters text(b, p, stop);
    Clock clock = {};
    for (const char letter : {'M', 'D', 'w', 'd', 'o'}) clock.field[u8(letter)] = 1;
    if (!clock.read(text, picture)) continue;
    const u32 c = text.next();
    if (c == Characters::kEnd) return clock.right() ? kFits : kUnfit;
    if ((c | 0x20) == 't' || c == ' ') return time_fits(text, clock) ? kFits : kUnfit;
  }
  return kUnfit;
}

// ---- MIME types and URIs

// RFC 2045: type/subtype, of tokens; what follows a semicolon is not looked into.
FG_COLD inline Fit mime_fit(const u8* b, u32 p, u32 stop) {
  Characters text(b, p, stop);
  u32 size = 0, c;
  while (has(kText.token, c = text.next())) size++;
  if (c != '/' || !size) return kUnfit;
  for (size = 0; has(kText.token, c = text.next());) size++;
  while (c == ' ' || c == '\t') c = text.next();
  return size && (c == ';' || c == Characters::kEnd) ? kFits : kUnfit;
}

// Does the text begin so, in any ASCII case? `beginning` is in lower case.
inline bool begins(Characters& text, const char* beginning) {
  Characters at = text;
  for (; *beginning; beginning++) {
    const u32 c = at.next();
    if ((c - 'A' < 26 ? c + 32 : c) != static_cast<u8>(*beginning)) return false;
  }
  text = at;
  return true;
}

inline bool skip_scheme(Characters& text) {
  if (!is_letter(text.next())) return false;
  u32 c;
  while (has(kText.scheme, c = text.next())) {
  }
  return c == ':';
}

// Is the rest of characters that a URI has? `wide`: or of others that are not ASCII.
inline bool uri_characters(Characters text, bool wide) {
  u32 owed = 0;  // hexadecimal digits
  for (u32 c; (c = text.next()) != Characters::kEnd;) {
    if (owed) {
      if (!has(kByte.hex, c)) return false;
      owed--;
    } else if (c == '%') {
      owed = 2;
    } else if (!has(kText.uri, c) && !(wide && c >= 0xA0)) {
      return false;
    }
  }
  return !owed;
}

// RFC 3986. The scheme is what MCP's text insists on; other characters than that has are odd.
inline Fit uri_fit(const u8* b, u32 p, u32 stop) {
  Characters text(b, p, stop);
  if (!skip_scheme(text)) return kUnfit;
  return uri_characters(text, false) ? kFits : kOdd;
}

// A URL by RFC 3986 or by the WHATWG, which has other characters than ASCII too; http and https have a host.
inline Fit url_fit(const u8* b, u32 p, u32 stop) {
  Characters text(b, p, stop), web(b, p, stop);
  if (!skip_scheme(text) || !uri_characters(text, true)) return kUnfit;
  const bool of_web = begins(web, "http:") || begins(web, "https:");
  if (of_web && !begins(text, "//")) return kUnfit;
  const u32 c = text.next();
  if (c == Characters::kEnd || (of_web && (c == '/' || c == '?' || c == '#' || c == ':'))) return kUnfit;
  return kFits;
}

inline Fit format_fit(u8 format, const u8* b, u32 p, u32 stop) {
  switch (format) {
    case FG_BASE64: return base64_fit(b, p, stop, g_width);
    case FG_ISO8601: return time_fit(b, p, stop);
    case FG_MIME: return mime_fit(b, p, stop);
    case FG_URI: return uri_fit(b, p, stop);
    default: return url_fit(b, p, stop);
  }
}

}  // namespace fg
