// Lines that are built like an earlier one: most lines of a log are.
//
// Two lines are of one pattern where they say the same but for their ids and the strings and numbers whose text nothing reads; those only
// have to be well-formed. Walk and rules then come to the same verdict. The first line of a pattern is walked and its verdict kept; one
// that matches gets it with hardly a branch that depends on its bytes, where the walk has one or two for each token. A hash finds the
// pattern, and all that is not free to differ is compared. What is kept are copies.
#pragma once
#include "formats.hpp"
#include "keys.hpp"
#include "walk.hpp"

namespace fg {

// What a row says of its line but for places: the same for all lines of a pattern.
struct Verdict {
  u64 facts;
  fg_found found;
  u32 fault_offset;
  u16 method;
  u8 kind, fault;
};

// Where its id and its method are, from the beginning of the line; equal where there is none.
struct Spans {
  u32 id_start, id_stop, method_start, method_stop;
};

// A line of a chunk that stage 1 accepted.
struct Line {
  const u8* b;        // the chunk
  u32 size;           // of the chunk
  u32 start, stop;    // of the line
  const u32* tokens;  // the first one
};

// The values whose text the rules of a frame read.
class ValuesRead {
 public:
  static constexpr u32 kMost = 16;

  void any() { any_ = true; }  // of one that may say many things: hardly another line says the same
  void text(u32 start) { add(start, kText); }
  void integer(u32 start) { add(start, kInteger); }              // of which only was asked whether it is one
  void fits(u32 start, u8 format) { add(start, kFormat + format); }  // it fits that fg_format, and was asked no more
  bool enough() const { return !any_; }

  enum As : u8 { kUnread, kText, kInteger, kFormat };
  // How it was read; kFormat + f: by format f. Text, where it was read in two ways.
  u8 as(u32 start) const {
    u8 found = kUnread;
    for (u32 i = 0; i < count_; i++)
      if (starts_[i] == start) found = found == kUnread || found == as_[i] ? as_[i] : u8(kText);
    return found;
  }

 private:
  void add(u32 start, u8 as) {
    if (count_ == kMost) return any();
    starts_[count_] = start, as_[count_++] = as;
  }

  u32 starts_[kMost];
  u32 count_ = 0;
  u8 as_[kMost];
  bool any_ = false;
};

// What finds the pattern of a line.
struct Build {
  static constexpr u32 kMost = 64, kMostly = 48;  // tokens
  u64 hash;   // of the first byte of each token, of keys the second one too, and of the method
  u32 count;  // of tokens; 0: too many, or none
};

// A line whose pattern was looked for before it is its turn.
struct Ahead {
  Line line;
  Build build;
  const struct Pattern* pattern;  // where it is if it is known; or null
};

#if FG_AVX2

#define FG_WITH_AVX2 __attribute__((target("avx2,bmi")))

// Bytes that are ones up to the n-th: loaded from `before` - n.
struct UpTo {
  u8 of[4 * Build::kMost];
  constexpr UpTo() : of() {
    for (u32 i = 0; i < 2 * Build::kMost; i++) of[i] = 0xFF;
  }
  const u8* before() const { return of + 2 * Build::kMost; }
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

// Of 16 tokens what a pattern keeps: the first byte, one for all numbers, and the second byte of keys. `next`: the tokens behind them.
FG_WITH_AVX2 FG_INLINE __m256i kept_of_16(__m256i v, __m256i next) {
  const __m256i low = _mm256_set1_epi16(0xFF);
  const __m256i behind = _mm256_alignr_epi8(_mm256_permute2x128_si256(v, next, 0x21), v, 2);
  const __m256i first = _mm256_and_si256(v, low);
  const __m256i digits = _mm256_and_si256(_mm256_cmpgt_epi16(first, _mm256_set1_epi16('0' - 1)), _mm256_cmpgt_epi16(_mm256_set1_epi16('9' + 1), first));
  const __m256i numbers = _mm256_or_si256(digits, _mm256_cmpeq_epi16(first, _mm256_set1_epi16('-')));
  const __m256i keys = _mm256_cmpeq_epi16(_mm256_and_si256(behind, low), _mm256_set1_epi16(':'));
  return _mm256_or_si256(_mm256_blendv_epi8(first, _mm256_set1_epi16('0'), numbers), _mm256_and_si256(_mm256_andnot_si256(low, v), keys));
}

constexpr u64 kFactor = 0x9E3779B97F4A7C15u;

// Odd numbers for the sum over tokens that is the first part of a hash.
struct Weights {
  alignas(32) u16 of[Build::kMost];
  constexpr Weights() : of() {
    u64 x = kFactor;
    for (u32 i = 0; i < Build::kMost; i++) x = x * 6364136223846793005u + 1442695040888963407u, of[i] = static_cast<u16>(x >> 40 | 1);
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

// `left`: tokens to the end of the index. StageOne::kLongSlack of them may be read, and what read_ahead says behind each.
FG_WITH_AVX2 FG_INLINE void read_build(const Line& line, u64 left, Build& build) {
  const u8* const b = line.b;
  const u32* const tokens = line.tokens;
  build.count = count_below(tokens, Build::kMostly, line.stop);
  __m256i sums = _mm256_setzero_si256();
  if (FG_UNLIKELY(build.count == Build::kMostly)) {
    build.count += count_below(tokens + Build::kMostly, Build::kMost - Build::kMostly, line.stop);
    if (left < build.count) build.count = static_cast<u32>(left);
    if (build.count == Build::kMost) {
      build.count = 0;
      return;
    }
    sums = sum_tokens<Build::kMostly, Build::kMost>(b, tokens, build.count);
  }
  if (FG_UNLIKELY(left < build.count)) build.count = static_cast<u32>(left);  // behind the index are copies of its last offset
  sums = _mm256_add_epi32(sums, sum_tokens<0, Build::kMostly>(b, tokens, build.count));
  const __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  // The method, where it mostly stands, by the end of its name, which tells most.
  u64 word, method = 0;
  memcpy(&word, "\"method\"", 8);
  for (u32 key = 1; key <= 9; key += 4) {
    const u32 stop = tokens[key + 3];
    method |= load8(b + (stop < 8 ? 0 : stop - 8)) & (u64(0) - static_cast<u64>(load8(b + tokens[key]) == word));
  }
  const u64 low = static_cast<u64>(_mm_cvtsi128_si64(sum)), high = static_cast<u64>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum)));
  // Blanks between tokens belong to the pattern: by the first colon it shows whether there are any.
  build.hash = fold_multiply(low ^ kFactor ^ (tokens[3] - tokens[2]), high ^ method * kFactor);
}

struct Pattern {
  // Up to 16 bytes of a run: of the text from one value that may differ to the next, brackets and keys and all.
  struct Piece {
    u8 token, stop;    // the run's first token, and the one behind it
    u16 size;          // bytes from one to the other
    u16 skip, bytes;   // of the run before the piece, and of the piece
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
  static constexpr u32 kPieces = 20, kFree = 12, kNone = Build::kMost;

  u64 job;  // see Patterns; 0: not whole
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

class Patterns {
 public:
  static constexpr u32 kAhead = 16;

  Patterns() = default;
  Patterns(const Patterns&) = delete;
  Patterns& operator=(const Patterns&) = delete;
  ~Patterns() { free(patterns_); }

  // Before a buffer. What is known stays so where lines are judged by the same as before: of that serial, within those limits.
  void begin(u64 serial, const fg_limits& limits) {
    if (serial && serial == serial_ && memcmp(&limits, &limits_, sizeof limits) == 0) return;
    serial_ = serial, limits_ = limits;
    job_++, tried_ = found_ = pause_ = 0, next_pause_ = kShortest;
  }

  // Looks for the patterns of the next `count` lines, up to the first that can have none, and tells how many these are. They end at `ends`;
  // the first one begins at `start`, its tokens at `tokens`; at `last` the index ends, and b[0..size) may be read. Ahead, and all at once:
  // what depends on what is long in each line then, and hardly a branch waits for it. Line by line half of the time was lost.
  FG_WITH_AVX2 FG_NOINLINE u32 read_ahead(const u8* b, u32 size, const u32* tokens, const u32* last, u32 start, const u32* ends, u32 count,
                                           Ahead (&ahead)[kAhead]) {
    if (FG_UNLIKELY(tried_ >= kTrial)) judge_trial();
    if (FG_UNLIKELY(pause_)) {
      pause_--;
      return 0;
    }
    u32 n = 0;
    for (; n < count && n < kAhead; n++) {
      const u32 stop = ends[n];
      // All tokens that are looked at, those of later lines too, have 16 bytes from there on.
      if (stop - start > kLongest || size - tokens[Build::kMost + 4] < 16) break;
      ahead[n].line = {b, size, start, stop, tokens};
      Build& build = ahead[n].build;
      read_build(ahead[n].line, static_cast<u64>(last - tokens), build);
      if (FG_UNLIKELY(!build.count)) break;
      tokens += build.count, start = stop + 1;
    }
    for (u32 i = 0; i < n; i++) {
      ahead[i].pattern = patterns_ ? at(ahead[i].build.hash) : nullptr;
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
    if (FG_UNLIKELY(!pattern) && patterns_) pattern = at(ahead.build.hash);  // it may have been learnt meanwhile
    if (FG_UNLIKELY(!is(pattern, w, line, ahead.build))) {
      if (!pattern || !hash_texts(*pattern, line, ahead.build)) return nullptr;
      pattern = at(ahead.build.hash);
      if (!is(pattern, w, line, ahead.build)) return nullptr;
    }
    spans = spans_of(*pattern, line);
    found_++;
    return &pattern->verdict;
  }

  // Was a line of that build seen before, and not yet learnt? What comes once only is not worth it.
  FG_INLINE bool seen_before(const Ahead& ahead) {
    u32& seen = seen_[ahead.build.hash >> 54];
    const bool before = seen == tag_of(ahead.build.hash);
    seen = tag_of(ahead.build.hash);
    return before;
  }

  // Makes a pattern of a line that was walked.
  void learn(const Walk& w, const Ahead& ahead, const ValuesRead& read, const Verdict& verdict);

 private:
  static constexpr u32 kLongest = 1024;  // bytes of a line
  static constexpr u32 kSets = 1024, kWays = 4;

  // Of so many lines a quarter must be of a known pattern, or none is looked for in a while: where lines have little in common, that costs
  // a fifth.
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

  FG_WITH_AVX2 FG_INLINE bool is(const Pattern* pattern, Walk& w, const Line& line, const Build& build) const {
    return pattern && pattern->job == job_ && matches(*pattern, w, line, build);
  }

  // Where a line has as many tokens as a pattern and other texts: from now on its hash tells its texts too.
  static FG_NOINLINE bool hash_texts(const Pattern& first, const Line& line, Build& build) {
    if (first.tokens != build.count) return false;
    for (u32 i = 0; i < first.pieces; i++) {
      if (first.piece[i].skip) continue;
      const u32 stop = line.tokens[first.piece[i].stop];
      u32 p = line.tokens[first.piece[i].token];
      for (; stop - p > 8; p += 8) build.hash = fold_multiply(build.hash ^ load8(line.b + p), kFactor);
      build.hash = fold_multiply(build.hash ^ (load8(line.b + p) & kFirstBytes[stop - p]), kFactor);
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

  FG_WITH_AVX2 static FG_INLINE bool matches(const Pattern& pattern, Walk& w, const Line& line, const Build& build);
  FG_WITH_AVX2 static FG_INLINE bool values_fit(const Pattern& pattern, const Walk& w, const Line& line);
  static bool formats_fit(const Pattern& pattern, const Line& line);
  static bool take_escapes_of(const Pattern& pattern, Walk& w, const Line& line);

  Pattern* patterns_ = nullptr;
  u32 tags_[kSets * kWays] = {};
  u32 seen_[kSets] = {};
  u64 job_ = 1, serial_ = 0;
  fg_limits limits_ = {0, 0, 0, 0, 0};
  u32 tried_ = 0, found_ = 0;  // lines of the trial: read ahead, of a known pattern
  u32 pause_ = 0, next_pause_ = kShortest;  // lines
};

FG_WITH_AVX2 FG_INLINE bool Patterns::matches(const Pattern& pattern, Walk& w, const Line& line, const Build& build) {
  const u8* const b = line.b;
  const u32* const tokens = line.tokens;
  if (FG_UNLIKELY(pattern.tokens != build.count)) return false;
  const u32 room = line.size - 16;
  u32 other = 0;
  __m128i bytes = _mm_setzero_si128();
  for (u32 n = 0; n < pattern.pieces; n++) {
    const Pattern::Piece piece = pattern.piece[n];
    const u32 p = tokens[piece.token];
    other |= (tokens[piece.stop] - p) ^ piece.size;
    const u32 at = p + piece.skip;
    const __m128i own = _mm_and_si128(load16(b + (at < room ? at : room)), load16(kUpTo.before() - piece.bytes));
    bytes = _mm_or_si128(bytes, _mm_xor_si128(own, load16(pattern.piece_text[n])));
  }
  for (u32 n = 0; n < pattern.texts; n++) {
    const u32* const token = tokens + pattern.text[n].token;
    other |= static_cast<u32>(b[token[1] - 1] ^ '"') | static_cast<u32>(token[1] - token[0] < 2);
  }
  const u32* const id = tokens + pattern.id;
  other |= static_cast<u32>(id[1] - id[0] == 2) & pattern.some_id;
  other |= static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) ^ 0xFFFF);
  if (FG_UNLIKELY(other)) return false;
  if (FG_UNLIKELY(!values_fit(pattern, w, line))) return false;
  return FG_LIKELY(w.backslash >= line.stop) || take_escapes_of(pattern, w, line);
}

FG_WITH_AVX2 FG_INLINE bool Patterns::values_fit(const Pattern& pattern, const Walk& w, const Line& line) {
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

FG_NOINLINE inline bool Patterns::formats_fit(const Pattern& pattern, const Line& line) {
  for (u32 i = 0; i < pattern.texts; i++) {
    const Pattern::Text text = pattern.text[i];
    const u32* const token = line.tokens + text.token;
    if (text.format != FG_ANY_TEXT && format_fit(text.format, line.b, token[0] + 1, token[1] - 1) != kFits) return false;
  }
  return true;
}

// A backslash in what the pattern compares is never looked for: there the line is walked.
FG_NOINLINE inline bool Patterns::take_escapes_of(const Pattern& pattern, Walk& w, const Line& line) {
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
  w.backslash = before;
  return false;
}

// The text from token `from` up to token `stop`, and `more` bytes of that.
inline bool Pattern::add_run(const Line& line, u32 from, u32 stop, u32 more) {
  const u32 start = line.tokens[from], size = line.tokens[stop] - start, bytes = size + more;
  for (u32 skip = 0; skip < bytes; skip += 16) {
    if (pieces == kPieces) return false;
    const u32 at = skip && bytes - skip < 16 ? bytes - 16 : skip, own = bytes - at < 16 ? bytes - at : 16;
    piece[pieces] = {static_cast<u8>(from), static_cast<u8>(stop), static_cast<u16>(size), static_cast<u16>(at), static_cast<u16>(own)};
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

FG_NOINLINE inline void Patterns::learn(const Walk& w, const Ahead& ahead, const ValuesRead& read, const Verdict& verdict) {
  const Line& line = ahead.line;
  const Build& build = ahead.build;
  // What is told of a string with a lone surrogate is not compared.
  if (verdict.kind < FG_REQUEST || verdict.fault || verdict.facts & FG_BIT(FG_LONE_SURROGATE) || !read.enough()) return;
  if (!patterns_ && !(patterns_ = static_cast<Pattern*>(calloc(kSets * kWays, sizeof(Pattern))))) return;
  // A place that is free, or any.
  u32 slot = set_of(build.hash);
  for (u32 way = 0; way < kWays && patterns_[slot].job == job_; way++) slot++;
  if (slot == set_of(build.hash) + kWays) slot -= kWays - (build.hash >> 32) % kWays;
  Pattern& pattern = patterns_[slot];
  pattern.job = 0;  // until it is whole
  if (!pattern.describe(line, build.count, w.f.envelope, read)) return;
  pattern.verdict = verdict, pattern.job = job_;
  tags_[slot] = tag_of(build.hash);
}

#else

// Without AVX2 every line is walked.
class Patterns {
 public:
  static constexpr u32 kAhead = 1;
  void begin(u64, const fg_limits&) {}
  u32 read_ahead(const u8*, u32, const u32*, const u32*, u32, const u32*, u32, Ahead (&)[kAhead]) { return 0; }
  const Verdict* find(Walk&, Ahead&, Spans&) { return nullptr; }
  bool seen_before(const Ahead&) { return false; }
  void learn(const Walk&, const Ahead&, const ValuesRead&, const Verdict&) {}
};

#endif

}  // namespace fg
