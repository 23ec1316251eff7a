// The verdicts that a thread keeps on lines, for later lines that are alike: the one door to line_cache/.
//
// lookup() answers for a line whether there is a verdict on it, or whether it is worth learning; learn() keeps the
// verdict on a line that was walked. What may differ between two lines follows from what the rules have read
// (values_read.hpp), and from nothing else.
#pragma once
#include "lines/line_cache/long.hpp"
#include "lines/line_cache/short.hpp"

namespace fg {

class LineCache {
 public:
  enum Answer { kWalk, kLearn, kKnown };

  struct Found {
    const Verdict* verdict;  // where the line is known, with the places in it,
    Spans spans;
    u32 tokens;              // and how many it has
    u64 hash;                // where it is to be learnt
  };

  // The lines of one chunk, which are looked up in their order. `ends`: where they end; at `last` the index ends, and
  // b[0..size) may be read. With `returns` there is a CR in the chunk: its lines are not looked up.
  struct Chunk {
    const u8* b;
    u32 size;
    const u32* last;
    const u32* ends;
    const u8* directions;  // by line; or null
    u32 lines;
    u8 direction = 0;      // of the line at hand
    bool shorts, longs;  // are such lines looked up

    Chunk(const u8* b_, u32 size_, const u32* last_, const u32* ends_, const u8* directions_, u32 lines_, bool returns,
          Width width)
        : b(b_), size(size_), last(last_), ends(ends_), directions(directions_), lines(lines_),
          shorts(width >= kAvx2 && !returns), longs(!returns) {}

   private:
    friend class LineCache;
    Ahead aheads_[ShortLines::kAhead];
    u32 at_ = 0, count_ = 0;  // of them
    Ahead* ahead_ = nullptr;  // that of the line at hand, or null
  };

  // Before a buffer. What is known of lines stays so where they are judged by the same as before: by the table of that
  // serial, within those limits.
  void begin(u64 serial, const fg_limits& limits) {
    if (serial && serial == serial_ && memcmp(&limits, &limits_, sizeof limits) == 0) return;
    serial_ = serial, limits_ = limits;
    shorts_.forget(), longs_.forget();
  }

  // Line n of the chunk is next; it begins at `start`, its tokens at `tokens`.
  FG_INLINE void next(Chunk& chunk, u32 n, u32 start, const u32* tokens) {
    if (chunk.at_ == chunk.count_) {
      chunk.at_ = 0;
      chunk.count_ = 0;
      if (chunk.shorts)
        chunk.count_ = shorts_.read_ahead(chunk.b, chunk.size, tokens, chunk.last, start, chunk.ends + n,
                                          chunk.directions ? chunk.directions + n : nullptr, chunk.lines - n,
                                          chunk.aheads_);
    }
    if (FG_UNLIKELY(chunk.directions != nullptr)) chunk.direction = chunk.directions[n];
    chunk.ahead_ = chunk.at_ < chunk.count_ ? &chunk.aheads_[chunk.at_++] : nullptr;
  }

  // What is known of the next line [start, stop), which w is about to walk.
  FG_INLINE Answer lookup(Chunk& chunk, Walk& w, u32 start, u32 stop, Found& found) {
    Ahead* const ahead = chunk.ahead_;
    if (FG_LIKELY(ahead != nullptr)) {
      if (FG_LIKELY((found.verdict = shorts_.find(w, *ahead, found.spans)) != nullptr)) {
        found.tokens = ahead->hash.count;
        return kKnown;
      }
      if (FG_UNLIKELY(shorts_.seen_before(*ahead))) {
        found.hash = ahead->hash.value;
        return kLearn;
      }
    }
    return lookup_long(chunk, w, start, stop, found);
  }

  // A copy of a line from which it is to be learnt, because the buffer may change: the verdict on one text must not be
  // kept with another. Null where there is no memory.
  const u8* copy(const u8* data, u32 size) {
    if (size >= LongLines::kShortest) return longs_.copy(data, size);
    memcpy(copy_, data, size);
    return copy_;
  }

  // Keeps the verdict on the line that was copied last and has `count` tokens.
  void learn(const Line& line, u32 count, const fg_facts& facts, u64 hash, const ValuesRead& read, const Verdict& verdict,
             const Spans& spans) {
    if (!can_be_learnt(verdict)) return;
    if (line.stop < LongLines::kShortest) shorts_.learn(line, count, facts.envelope, hash, read, verdict);
    else longs_.learn(line, count, facts.envelope[FG_ID], hash, read, verdict, spans);
  }

 private:
  FG_NOINLINE Answer lookup_long(const Chunk& chunk, const Walk& w, u32 start, u32 stop, Found& found) {
    if (stop - start < LongLines::kShortest || stop - start > LongLines::kLongest || !chunk.longs) return kWalk;
    const Line line = {w.b, w.size, start, stop, w.next, chunk.direction};
    found.hash = LongLines::hash_of(line) ^ line.direction * kFactor;
    const LongLine* const known = longs_.find(w, line, u64(chunk.last - w.next), found.hash);
    if (!known) return longs_.worth_learning(found.hash) ? kLearn : kWalk;
    found.verdict = &known->verdict, found.spans = LongLines::spans_of(*known, line), found.tokens = known->tokens;
    return kKnown;
  }

  ShortLines shorts_;
  LongLines longs_;
  u8 copy_[LongLines::kShortest];
  u64 serial_ = 0;  // of the table of the last buffer
  fg_limits limits_ = {0, 0, 0, 0, 0};
};

}  // namespace fg
