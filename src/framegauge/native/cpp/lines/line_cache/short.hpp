// Short lines of the pattern of an earlier one: most lines of a log.
//
// Two lines are of one pattern where only their ids differ, and strings and numbers that were not read
// (values_read.hpp); these have to be well-formed. Walk and rules then come to the same verdict. The first line of a
// pattern is walked and its verdict kept; one that matches gets it with hardly a branch that depends on its bytes,
// where the walk has one or two for each token. A hash finds the pattern, and all that is not free to differ is
// compared. What is kept are copies.
#pragma once
#include "lines/line_cache/hash.hpp"
#include "rules/formats.hpp"
#include "frame/walk.hpp"
#include "rules/values_read.hpp"

namespace fg {

// A line whose pattern was looked for before it is its turn.
struct Ahead {
  Line line;
  LineHash hash;
  const struct Pattern* pattern;  // where it is if it is known; or null
};

#if FG_AVX2

struct Pattern {
  // Up to 16 bytes of a run: of the text from one value that may differ to the next, brackets and keys and all.
  struct Piece {
    u8 token, stop;  // the run's first token, and the one behind it
    u8 bytes;
    u16 skip;  // bytes of the run before the piece
  };
  struct Text {
    u8 token;
    u8 format;  // fg_format
  };
  struct Number {
    u8 token;
    u8 most;  // digits
    bool plain;  // nothing but digits
  };
  static constexpr u32 kPieces = 20, kFree = 12, kNone = LineHash::kMost;

  u64 job;  // see ShortLines; 0: not whole
  u8 tokens, pieces, texts, numbers;
  u8 id, method;  // their tokens, or kNone
  bool formats;  // has any text one
  bool some_id;  // the id is a string that may be any but the empty one
  Verdict verdict;
  Text text[kFree];
  Number number[kFree];
  Piece piece[kPieces];
  alignas(16) u8 piece_text[kPieces][16];  // padded with zeros

  bool describe(const Line& line, u32 count, const fg_envelope_value* envelope, const ValuesRead& read);

 private:
  bool add_run(const Line& line, u32 from, u32 stop, u32 more);
  bool add_free(u32 token, u8 type, u8 as);
};

static_assert(LineHash::kMost + 5 <= StageOne::kLongSlack, "all tokens that are looked at stand in the index or its slack");

class ShortLines {
 public:
  static constexpr u32 kAhead = 16;
  static constexpr u32 kLongest = 1024;  // bytes of a line

  ShortLines() = default;
  ShortLines(const ShortLines&) = delete;
  ShortLines& operator=(const ShortLines&) = delete;
  ~ShortLines() { free(patterns_); }

  void forget() { job_ += 4, tried_ = found_ = pause_ = 0, next_pause_ = kShortest; }

  // Looks for the patterns of the next `count` lines, up to the first that can have none, and returns how many these
  // are. They end at `ends`; the first one begins at `start`, its tokens at `tokens`; at `last` the index ends, and
  // b[0..size) may be read. Ahead, and in two loops: the hash of a line takes long, and neither the next one nor a
  // branch waits for it then (138 ns a small line instead of 157).
  FG_WITH_AVX2 FG_NOINLINE u32 read_ahead(const u8* b, u32 size, const u32* tokens, const u32* last, u32 start, const u32* ends,
                                           const u8* directions, u32 count, Ahead (&ahead)[kAhead]) {
    if (FG_UNLIKELY(tried_ >= kTrial)) judge_trial();
    if (FG_UNLIKELY(pause_)) {
      pause_--;
      return 0;
    }
    u32 n = 0;
    for (; n < count && n < kAhead; n++) {
      const u32 stop = ends[n];
      // All tokens that are looked at, those of later lines too, have 16 bytes from there on.
      if (stop - start > kLongest || size - tokens[LineHash::kMost + 4] < 16) break;
      ahead[n].line = {b, size, start, stop, tokens, directions ? directions[n] : u8(0)};
      LineHash& hash = ahead[n].hash;
      hash_line(ahead[n].line, static_cast<u64>(last - tokens), hash);
      if (FG_UNLIKELY(!hash.count)) break;
      hash.value ^= ahead[n].line.direction * kFactor;
      tokens += hash.count, start = stop + 1;
    }
    for (u32 i = 0; i < n; i++) {
      ahead[i].pattern = patterns_ ? at(ahead[i].hash.value) : nullptr;
      const u8* const pattern = reinterpret_cast<const u8*>(ahead[i].pattern);
      for (u32 line = 0; pattern && line < 448; line += 64) __builtin_prefetch(pattern + line);
    }
    tried_ += n;
    return n;
  }

  // The verdict on a line that was read ahead, by its pattern, or null.
  FG_WITH_AVX2 FG_NOINLINE const Verdict* find(Walk& w, Ahead& ahead, Spans& spans) {
    const Line& line = ahead.line;
    const Pattern* pattern = ahead.pattern;
    if (FG_UNLIKELY(!pattern) && patterns_) pattern = at(ahead.hash.value);  // it may have been learnt meanwhile
    if (FG_UNLIKELY(!is(pattern, w, line, ahead.hash))) {
      if (!pattern || !hash_texts(*pattern, line, ahead.hash)) return nullptr;
      pattern = at(ahead.hash.value);
      if (!is(pattern, w, line, ahead.hash)) return nullptr;
    }
    spans = spans_of(*pattern, line);
    found_++;
    return &pattern->verdict;
  }

  // Was a line of that hash seen before, and not yet learnt? A line that comes once is not worth it.
  FG_INLINE bool seen_before(const Ahead& ahead) {
    u32& seen = seen_[ahead.hash.value >> 54];
    const bool before = seen == tag_of(ahead.hash.value);
    seen = tag_of(ahead.hash.value);
    return before;
  }

  // Makes a pattern of a line of `count` tokens.
  void learn(const Line& line, u32 count, const fg_envelope_value* envelope, u64 hash, const ValuesRead& read, const Verdict& verdict);

 private:
  static constexpr u32 kSets = 1024, kWays = 4;

  // Of so many lines a quarter must be of a known pattern, or none is looked for in a while: where lines have little in
  // common it only costs.
  static constexpr u32 kTrial = 256, kShortest = 256, kLongestPause = 8192;

  void judge_trial() {
    const bool paid = found_ * 4 >= tried_;
    pause_ = paid ? 0 : next_pause_;
    next_pause_ = paid ? kShortest : next_pause_ < kLongestPause ? next_pause_ * 2 : kLongestPause;
    tried_ = found_ = 0;
  }

  FG_INLINE u32 set_of(u64 hash) const { return static_cast<u32>(hash >> 54) * kWays; }
  FG_INLINE u32 tag_of(u64 hash) const { return static_cast<u32>(hash ^ job_); }

  // Where the pattern of that hash and this job is, if it is known at all; or null.
  FG_WITH_AVX2 FG_INLINE const Pattern* at(u64 hash) const {
    const u32 set = set_of(hash);
    const __m128i same = _mm_cmpeq_epi32(load16(tags_ + set), _mm_set1_epi32(static_cast<int>(tag_of(hash))));
    const u32 ways = static_cast<u32>(_mm_movemask_epi8(same));
    if (FG_UNLIKELY(!ways)) return nullptr;
    return &patterns_[set + trailing_zeros(ways) / 4];
  }

  FG_WITH_AVX2 FG_INLINE bool is(const Pattern* pattern, Walk& w, const Line& line, const LineHash& hash) const {
    return pattern && pattern->job == job_ + line.direction && matches(*pattern, w, line, hash);
  }

  // Where a line has as many tokens as a pattern and other texts: from now on its hash covers its texts too.
  static FG_NOINLINE bool hash_texts(const Pattern& first, const Line& line, LineHash& hash) {
    if (first.tokens != hash.count) return false;
    for (u32 i = 0; i < first.pieces; i++) {
      if (first.piece[i].skip) continue;
      const u32 stop = line.tokens[first.piece[i].stop];
      u32 p = line.tokens[first.piece[i].token];
      for (; stop - p > 8; p += 8) hash.value = fold_multiply(hash.value ^ load8(line.b + p), kFactor);
      hash.value = fold_multiply(hash.value ^ (load8(line.b + p) & kFirstBytes[stop - p]), kFactor);
    }
    return true;
  }

  static FG_INLINE Spans spans_of(const Pattern& pattern, const Line& line) {
    const u32* const id = line.tokens + pattern.id;
    const u32* const method = line.tokens + pattern.method;
    // Not a branch: which of them a line has is hard to predict.
    const u32 has_id = 0u - (pattern.id != Pattern::kNone), has_method = 0u - (pattern.method != Pattern::kNone);
    return {(id[0] - line.start) & has_id, (id[1] - line.start) & has_id, (method[0] - line.start) & has_method, (method[1] - line.start) & has_method};
  }

  FG_WITH_AVX2 static FG_INLINE bool matches(const Pattern& pattern, Walk& w, const Line& line, const LineHash& hash);
  FG_WITH_AVX2 static FG_INLINE bool values_fit(const Pattern& pattern, const Walk& w, const Line& line);
  static bool formats_fit(const Pattern& pattern, const Line& line);
  static bool take_escapes_of(const Pattern& pattern, Walk& w, const Line& line);

  Pattern* patterns_ = nullptr;
  u32 tags_[kSets * kWays] = {};
  u32 seen_[kSets] = {};
  u64 job_ = 4;  // a multiple of 4; with the direction of a line it is the job of its pattern
  u32 tried_ = 0, found_ = 0;  // lines of the trial: read ahead, of a known pattern
  u32 pause_ = 0, next_pause_ = kShortest;  // lines
};

FG_WITH_AVX2 FG_INLINE bool ShortLines::matches(const Pattern& pattern, Walk& w, const Line& line, const LineHash& hash) {
  const u8* const b = line.b;
  const u32* const tokens = line.tokens;
  if (FG_UNLIKELY(pattern.tokens != hash.count)) return false;
  // Only a text that ends before the pattern does is loaded from a lower place: such a line has fewer tokens.
  const u32 room = line.size - 16;
  // Where the text of a run is the same its tokens are, and each free value is one token: so one compared run leads to
  // the next.
  u32 other = 0;
  __m128i bytes = _mm_setzero_si128();
  for (u32 n = 0; n < pattern.pieces; n++) {
    const Pattern::Piece piece = pattern.piece[n];
    const u32 at = tokens[piece.token] + piece.skip;
    const __m128i own = _mm_and_si128(load16(b + (at < room ? at : room)), load16(kUpTo.before() - piece.bytes));
    bytes = _mm_or_si128(bytes, _mm_xor_si128(own, load16(pattern.piece_text[n])));
  }
  for (u32 n = 0; n < pattern.texts; n++) {
    const u32* const token = tokens + pattern.text[n].token;
    other |= static_cast<u32>(b[token[1] - 1] ^ '"');
  }
  const u32* const id = tokens + pattern.id;
  other |= static_cast<u32>(id[1] - id[0] == 2) & pattern.some_id;
  other |= static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) ^ 0xFFFF);
  if (FG_UNLIKELY(other)) return false;
  if (FG_UNLIKELY(!values_fit(pattern, w, line))) return false;
  return FG_LIKELY(w.backslash >= line.stop) || take_escapes_of(pattern, w, line);
}

FG_WITH_AVX2 FG_INLINE bool ShortLines::values_fit(const Pattern& pattern, const Walk& w, const Line& line) {
  const u8* const b = line.b;
  const u32* const tokens = line.tokens;
  u32 other = 0, most = 0;
  for (u32 n = 0; n < pattern.numbers; n++) {
    const Pattern::Number number = pattern.number[n];
    const u32 p = tokens[number.token], next = tokens[number.token + 1];
    u32 digits;
    other |= number_end(b, p, next, w.size, digits) ^ next;
    other |= static_cast<u32>(digits > number.most) | (number.plain & static_cast<u32>(digits != next - p));
    most = digits > most ? digits : most;
  }
  if (FG_UNLIKELY(other) || FG_UNLIKELY(most > w.limits.max_number_digits)) return false;
  return FG_LIKELY(!pattern.formats) || formats_fit(pattern, line);
}

FG_NOINLINE inline bool ShortLines::formats_fit(const Pattern& pattern, const Line& line) {
  for (u32 i = 0; i < pattern.texts; i++) {
    const Pattern::Text text = pattern.text[i];
    const u32* const token = line.tokens + text.token;
    if (text.format != FG_ANY_TEXT && format_fit(text.format, line.b, token[0] + 1, token[1] - 1) != kFits) return false;
  }
  return true;
}

// A backslash in what the pattern compares is never looked for: there the line is walked.
FG_NOINLINE inline bool ShortLines::take_escapes_of(const Pattern& pattern, Walk& w, const Line& line) {
  const u32 before = w.backslash;
  for (u32 i = 0; i < pattern.texts && w.backslash < line.stop; i++) {
    const u32* const token = line.tokens + pattern.text[i].token;
    if (w.backslash >= token[1]) continue;
    bool lone = false;
    const u32 next = w.backslash < token[0] ? 0 : check_escapes(w, w.backslash, token[1] - 1, lone);
    if (!next || lone) break;
    w.backslash = next;
  }
  if (w.backslash >= line.stop) return true;
  w.backslash = before;  // the walk notes of each value whether it has one
  return false;
}

// The text from token `from` up to token `stop`, and `more` bytes of that.
inline bool Pattern::add_run(const Line& line, u32 from, u32 stop, u32 more) {
  const u32 start = line.tokens[from], bytes = line.tokens[stop] - start + more;
  for (u32 skip = 0; skip < bytes; skip += 16) {
    if (pieces == kPieces) return false;
    const u32 at = skip && bytes - skip < 16 ? bytes - 16 : skip, own = bytes - at < 16 ? bytes - at : 16;
    piece[pieces] = {static_cast<u8>(from), static_cast<u8>(stop), static_cast<u8>(own), static_cast<u16>(at)};
    memset(piece_text[pieces], 0, 16);
    memcpy(piece_text[pieces++], line.b + start + at, own);
  }
  return true;
}

// A value that may be another in each line.
inline bool Pattern::add_free(u32 token, u8 type, u8 as) {
  const u8 at = static_cast<u8>(token);
  if (type == FG_STRING) {
    if (texts == kFree) return false;
    some_id |= id == token;
    text[texts++] = {at, static_cast<u8>(as >= ValuesRead::kFormat ? as - ValuesRead::kFormat : FG_ANY_TEXT)};
    formats |= as >= ValuesRead::kFormat;
    return true;
  }
  if (numbers == kFree) return false;
  number[numbers++] = {at, static_cast<u8>(id == token ? 15 : 255), id == token || as == ValuesRead::kInteger};
  return true;
}

// The whole line; false where there is no room for it.
inline bool Pattern::describe(const Line& line, u32 count, const fg_envelope_value* envelope, const ValuesRead& read) {
  tokens = static_cast<u8>(count), pieces = texts = numbers = 0;
  id = method = kNone, formats = some_id = false;
  u32 run = 0;  // its first token
  for (u32 i = 0; i + 1 < count; i++) {
    const u32 p = line.tokens[i];
    const u8 type = kByte.type[line.b[p]];
    if (type < FG_STRING || line.b[line.tokens[i + 1]] == ':') continue;
    for (const u32 member : {FG_ID, FG_METHOD}) {
      const fg_envelope_value& value = envelope[member];
      if (!value.count || value.start != p || (member == FG_METHOD && type != FG_STRING)) continue;
      if (value.stop != line.tokens[i + 1]) return false;  // a blank behind it: where it ends is not where the next token begins
      (member == FG_ID ? id : method) = static_cast<u8>(i);
    }
    const u8 as = read.as(p);
    if (type > FG_NUMBER || as == ValuesRead::kText) continue;
    if (!add_run(line, run, i, type == FG_STRING) || !add_free(i, type, as)) return false;
    run = i + 1;
  }
  return add_run(line, run, count - 1, 1);
}

FG_NOINLINE inline void ShortLines::learn(const Line& line, u32 count, const fg_envelope_value* envelope, u64 hash, const ValuesRead& read,
                                         const Verdict& verdict) {
  if (count >= LineHash::kMost || !read.worth_learning()) return;
  if (!patterns_ && !(patterns_ = static_cast<Pattern*>(calloc(kSets * kWays, sizeof(Pattern))))) return;
  // A place that is free, or any.
  u32 slot = set_of(hash);
  for (u32 way = 0; way < kWays && (patterns_[slot].job & ~u64(3)) == job_; way++) slot++;
  if (slot == set_of(hash) + kWays) slot -= kWays - (hash >> 32) % kWays;
  Pattern& pattern = patterns_[slot];
  pattern.job = 0;  // until it is whole
  if (!pattern.describe(line, count, envelope, read)) return;
  pattern.verdict = verdict, pattern.job = job_ + line.direction;
  tags_[slot] = tag_of(hash);
}

#else

// Without AVX2 every line is walked.
class ShortLines {
 public:
  static constexpr u32 kAhead = 1, kLongest = 1;
  void forget() {}
  u32 read_ahead(const u8*, u32, const u32*, const u32*, u32, const u32*, const u8*, u32, Ahead (&)[kAhead]) { return 0; }
  const Verdict* find(Walk&, Ahead&, Spans&) { return nullptr; }
  bool seen_before(const Ahead&) { return false; }
  void learn(const Line&, u32, const fg_envelope_value*, u64, const ValuesRead&, const Verdict&) {}
};

#endif

}  // namespace fg
