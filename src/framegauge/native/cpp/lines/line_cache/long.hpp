// Long lines that are the same as an earlier one except for their id, as a server's list of tools is for every client.
//
// The first such line is copied and walked, and its verdict kept. One that is the same byte by byte, or has another id
// that nothing read, gets it. A few of its bytes find the copy. ShortLines (short.hpp) are what does this for short
// lines, of which more differs.
#pragma once
#include <algorithm>

#include "lines/line_cache/short.hpp"

namespace fg {

struct LongLine {
  static constexpr u32 kNone = 0xFFFFFFFFu;

  u64 job;   // see LongLines; 0: none
  u64 hash;
  u64 at;    // of its copy, see LongLines::text
  u32 size, tokens;
  u32 id;    // the token that may differ; or kNone
  bool text; // a string, and not a number
  Spans spans;
  Verdict verdict;
};

class LongLines {
 public:
  static constexpr u32 kShortest = 1025, kLongest = 1u << 16;  // bytes of a line

  LongLines() = default;
  LongLines(const LongLines&) = delete;
  LongLines& operator=(const LongLines&) = delete;
  ~LongLines() { free(known_), free(copies_); }

  void forget() { job_ += 4, tried_ = found_ = learnt_ = 0; }

  // What is hashed are bytes at twice, four times and so on a distance from that end of the line at which the id is
  // not: its length may differ.
  static u64 hash_of(const Line& line) {
    const u8* const b = line.b;
    u32 id;
    memcpy(&id, "\"id\"", 4);
    bool early = false;
    for (u32 key = 1; key <= 9; key += 4) {
      u32 word = 0;
      if (line.tokens[key] < line.stop - 4) memcpy(&word, b + line.tokens[key], 4);
      early |= word == id;
    }
    u64 hash = kFactor;
    const u32 half = (line.stop - line.start) / 2;
    for (u32 from = 16; from <= half; from *= 2) hash = fold_multiply(hash ^ load8(b + (early ? line.stop - from : line.start + from)), kFactor);
    return hash;
  }

  // The earlier line that is the same, or null. `left`: tokens to the end of the index.
  FG_NOINLINE const LongLine* find(const Walk& w, const Line& line, u64 left, u64 hash) {
    tried_++;
    if (!known_) return nullptr;
    for (u32 way = 0, slot = set_of(hash); way < kWays; way++, slot++) {
      const LongLine& known = known_[slot];
      if (known.hash != hash || known.job != job_ + line.direction || !is_whole(known) || !is_same(known, w, line, left)) continue;
      found_++;
      return &known;
    }
    return nullptr;
  }

  static Spans spans_of(const LongLine& known, const Line& line) {
    Spans spans = known.spans;
    const u32 more = line.stop - line.start - known.size;  // of the id, or less where it wraps
    if (spans.method_start > spans.id_start) spans.method_start += more, spans.method_stop += more;
    if (known.id != LongLine::kNone) spans.id_stop += more;
    return spans;
  }

  // Was a line of that hash seen before? One that is not the same all the same would be learnt in vain: of sixteen
  // lines one may be.
  bool worth_learning(u64 hash) {
    u32& seen = seen_[hash >> 54];
    const u32 tag = static_cast<u32>(hash ^ job_);
    const bool before = seen == tag;
    seen = tag;
    return before && learnt_ <= found_ + tried_ / 16 + 64;
  }

  // A copy, from which it is to be learnt; or null.
  const u8* copy(const u8* data, u32 size) {
    if (!known_ && !(known_ = static_cast<LongLine*>(calloc(kSets * kWays, sizeof(LongLine))))) return nullptr;
    if (!copies_ && !(copies_ = static_cast<u8*>(malloc(kRoom)))) return nullptr;
    if (kRoom - used_ % kRoom < size) used_ += kRoom - used_ % kRoom;
    u8* const copy = copies_ + used_ % kRoom;
    used_ += size;  // from now on, whatever becomes of this one: those that were there are gone
    learnt_++;
    memcpy(copy, data, size);
    return copy;
  }

  // Keeps the verdict on the last copy, a line of `count` tokens. `read`: as for a pattern.
  void learn(const Line& line, u32 count, const fg_envelope_value& id, u64 hash, const ValuesRead& read, const Verdict& verdict, const Spans& spans) {
    LongLine* const set = &known_[set_of(hash)];
    LongLine* place = set;
    for (u32 way = 1; way < kWays && is_whole(*place); way++)
      if (!is_whole(set[way]) || set[way].at < place->at) place = &set[way];
    *place = {job_ + line.direction, hash, used_ - line.stop, line.stop, count, LongLine::kNone, id.type == FG_STRING, spans, verdict};
    if (id.count != 1 || (id.type != FG_STRING && id.type != FG_NUMBER) || !read.worth_learning() || read.as(id.start) != ValuesRead::kUnread) return;
    const u32* const token = std::lower_bound(line.tokens, line.tokens + count, id.start);
    if (token[1] == id.stop) place->id = static_cast<u32>(token - line.tokens);  // else blanks follow it
  }

 private:
  static constexpr u32 kSets = 1024, kWays = 4;
  static constexpr u64 kRoom = u64(8) << 20;  // bytes of copies, the oldest of which make room for new ones

  static u32 set_of(u64 hash) { return static_cast<u32>(hash >> 54) * kWays; }
  const u8* text(const LongLine& known) const { return copies_ + known.at % kRoom; }
  bool is_whole(const LongLine& known) const { return (known.job & ~u64(3)) == job_ && used_ - known.at <= kRoom; }

  bool is_same(const LongLine& known, const Walk& w, const Line& line, u64 left) const {
    const u32* const tokens = line.tokens;
    // True of the same text, but the buffer may have changed since stage 1 read it.
    if (left < known.tokens || tokens[known.tokens - 1] >= line.stop || (left > known.tokens && tokens[known.tokens] < line.stop)) return false;
    const u8* const b = line.b + line.start;
    const u32 size = line.stop - line.start;
    u32 head = 0, tail = 0;  // bytes in front of the id, and from there on
    if (known.id == LongLine::kNone) {
      if (size != known.size) return false;
      tail = size;
    } else {
      const u32 start = tokens[known.id], stop = tokens[known.id + 1];
      head = known.spans.id_start, tail = known.size - known.spans.id_stop;
      if (start - line.start != head || line.stop - stop != tail || !may_be_id(known, w, start, stop)) return false;
    }
    return memcmp(b, text(known), head) == 0 && memcmp(b + size - tail, text(known) + known.size - tail, tail) == 0;
  }

  static bool may_be_id(const LongLine& known, const Walk& w, u32 start, u32 stop) {
    const u8* const b = w.b;
    if (known.text) return stop - start > 2 && b[start] == '"' && b[stop - 1] == '"' && next_backslash(w, start) >= stop;
    return stop - start <= w.limits.max_number_digits && is_plain_id(b, start, stop);
  }

  LongLine* known_ = nullptr;
  u8* copies_ = nullptr;
  u64 used_ = 0;  // bytes that were ever copied, and those left out where the next one did not fit
  u32 seen_[kSets] = {};
  u64 job_ = 4;  // as in ShortLines
  u64 tried_ = 0, found_ = 0, learnt_ = 0;  // lines
};

}  // namespace fg
