// Many frames at once: the lines of a buffer, to columns.
//
// Stage 1 runs once per chunk of whole lines. Where it accepts the chunk, every line is walked over that one index, but for those of a
// known pattern (short.hpp): a raw newline cannot hide in a string (it is a control character, the chunk would have failed), so each
// line stands for itself. A line that the walk refuses is classified alone, and so is every line of a small chunk that stage 1 refuses.
#pragma once
#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "frame/claimed_revision.hpp"
#include "frame/classify.hpp"
#include "lines/scratch.hpp"
#include "rules/value_rules.hpp"
#include "rules/fact_rules.hpp"

namespace fg {

constexpr size_t kLargePage = size_t(2) << 20;

// Memory for columns; `size` is at most SIZE_MAX - kLargePage. Large ones want large pages: page faults were 7 % of the time.
inline void* column_memory(size_t size) {
#if defined(__linux__)
  if (size >= 2 * kLargePage) {
    void* const memory = aligned_alloc(kLargePage, (size + kLargePage - 1) / kLargePage * kLargePage);
    if (memory) madvise(memory, size, MADV_HUGEPAGE);  // advice: without it all is as well, only slower
    return memory;
  }
#endif
  return malloc(size);
}

// Moves a column of `width` bytes a row to the next free place of a block.
template <class T>
void move_column(T*& column, u8*& free, const fg_columns& c, u64 room, u32 width = 1) {
  if (c.count) memcpy(free, column, sizeof(T) * size_t(c.count) * width);
  column = reinterpret_cast<T*>(free);
  free += sizeof(T) * size_t(room) * width;
}

constexpr u32 kRowBytes = 4 * 8 + 6 * 4 + 2 + 2 * 1;  // of all columns

// All columns stand in one block, the widest first, so that each is aligned.
FG_COLD inline bool grow(fg_columns& c, u64 room) {
  u8* const block = room <= (SIZE_MAX - kLargePage) / kRowBytes ? static_cast<u8*>(column_memory(size_t(room) * kRowBytes)) : nullptr;
  if (!block) return false;
  void* const old = c.offset;
  u8* free_place = block;
  move_column(c.offset, free_place, c, room), move_column(c.facts, free_place, c, room), move_column(c.rules, free_place, c, room, 2);
  move_column(c.length, free_place, c, room), move_column(c.fault_offset, free_place, c, room);
  move_column(c.id_start, free_place, c, room), move_column(c.id_stop, free_place, c, room);
  move_column(c.method_start, free_place, c, room), move_column(c.method_stop, free_place, c, room);
  move_column(c.method, free_place, c, room), move_column(c.kind, free_place, c, room), move_column(c.fault, free_place, c, room);
  free(old);
  c.room = room;
  return true;
}

// The number of the method of a frame of b[0..size), 0 where it has none, or one with escapes.
FG_INLINE u32 number_of(const fg_facts& f, const u8* b, u32 size) {
  const fg_envelope_value& method = f.envelope[FG_METHOD];
  if (method.type != FG_STRING || method.escaped) return 0;
  return method_number(b + method.start + 1, method.stop - method.start - 2, size - method.start > 10);
}

FG_INLINE Verdict verdict_of(const fg_table& table, const fg_facts& f, fg_found found, u32 method_number) {
  if (FG_UNLIKELY(!is_clean(table, f))) run_rows(table, f, found);
  return {f.bits, found, f.fault_offset, static_cast<u16>(method_number), f.kind, f.fault};
}

// Spans of `f` count from `shift`.
FG_INLINE Spans spans_of(const fg_facts& f, u32 shift) {
  const fg_envelope_value &id = f.envelope[FG_ID], &method = f.envelope[FG_METHOD];
  Spans spans = {0, 0, 0, 0};
  if (id.count) spans.id_start = id.start - shift, spans.id_stop = id.stop - shift;
  if (method.type == FG_STRING) spans.method_start = method.start - shift, spans.method_stop = method.stop - shift;
  return spans;
}

// Writes a row.
FG_INLINE bool emit(fg_columns& c, const Verdict& verdict, const Spans& spans, u64 offset, u32 length) {
  if (FG_UNLIKELY(c.count == c.room) && !grow(c, c.room + c.room / 4 + 1024)) return false;
  const u64 i = c.count++;
  const fg_found& found = verdict.found;
  if (FG_UNLIKELY(found.rules[0] | found.rules[1]) && (verdict.kind != FG_BATCH || verdict.fault)) {  // a batch is settled by its elements
    for (int n = 0; n < 2; n++)
      c.any.rules[n] |= found.rules[n], c.any.errors[n] |= found.errors[n], c.any.warnings[n] |= found.warnings[n];
  }
  c.offset[i] = offset, c.length[i] = length, c.kind[i] = verdict.kind, c.facts[i] = verdict.facts;
  c.rules[2 * i] = found.rules[0], c.rules[2 * i + 1] = found.rules[1];
  c.fault[i] = verdict.fault, c.fault_offset[i] = verdict.fault_offset;
  c.id_start[i] = spans.id_start, c.id_stop[i] = spans.id_stop;
  c.method_start[i] = spans.method_start, c.method_stop[i] = spans.method_stop;
  c.method[i] = verdict.method;
  return true;
}

struct LineJob {
  Scratch& s;
  const u8* data;
  u64 size;
  const fg_limits& limits;
  const fg_table& table;
  const fg_protocol* protocol;  // or null
  const fg_own* own;            // or null
  fg_columns& out;
};

// By what a line is judged: the revision that it names itself, or else that of the job.
struct By {
  const fg_table& table;
  const fg_protocol* protocol;
};

FG_INLINE By judged_by(const LineJob& job, const u8* b, const fg_facts& f) {
  if (FG_LIKELY(!job.own)) return {job.table, job.protocol};
  const u32 n = own_revision(b, f, *job.own);
  if (n == job.own->count) return {job.table, job.protocol};
  return {*job.own->tables[n], job.own->protocols[n]};
}

// Reads the line that stands at `at` in the buffer without those around it, from `data`. `learn`: its hash, to know the next such line
// by it; or null.
FG_COLD static int line_alone(LineJob& job, const u8* data, u64 at, u64 length, const u64* learn = nullptr) {
  fg_facts f;
  Scratch* const s = job.s.spare();
  const int status = classify_within(s, data, length, job.limits, f);
  if (status != FG_OK) return status;
  fg_found found = {{0, 0}, {0, 0}, {0, 0}};
  ValuesRead read(data, f);
  const By by = judged_by(job, data, f);
  if (by.protocol && !f.fault) judge_last(*by.protocol, *s, data, f.size, f, 0, found, nullptr, learn ? &read : nullptr);
  const Verdict verdict = verdict_of(by.table, f, found, number_of(f, data, f.size));
  const Spans spans = spans_of(f, 0);
  if (learn && may_be_learnt(verdict)) {
    const Line line = {data, f.size, 0, f.size, s->index.offsets()};
    if (length < Repeats::kShortest) job.s.patterns.learn(line, s->index.count(), f.envelope, *learn, read, verdict);
    else job.s.repeats.learn(line, s->index.count(), f.envelope[FG_ID], *learn, read, verdict, spans);
  }
  return emit(job.out, verdict, spans, at, f.size) ? FG_OK : FG_NO_MEMORY;
}

// From a copy, because the buffer may change: what walk and rules said of one text must not be kept with another, where lines of other
// buffers would find it.
FG_COLD static int learn_line(LineJob& job, u64 at, u32 length, u64 hash) {
  if (length >= Repeats::kShortest) {
    const u8* const copy = job.s.repeats.copy(job.data + at, length);
    return line_alone(job, copy ? copy : job.data + at, at, length, copy ? &hash : nullptr);
  }
  u8 copy[Repeats::kShortest];
  memcpy(copy, job.data + at, length);
  return line_alone(job, copy, at, length, &hash);
}

FG_COLD static int lines_alone(LineJob& job, u64 from, u64 to) {
  while (from < to) {
    const void* hit = memchr(job.data + from, '\n', to - from);
    const u64 stop = hit ? u64(static_cast<const u8*>(hit) - job.data) : to;
    const int status = line_alone(job, job.data + from, from, stop - from);
    if (status != FG_OK) return status;
    from = stop + 1;
  }
  return FG_OK;
}

// The first offset of the index that is not below `at`; galloping, because it is usually near.
inline const u32* seek(const u32* from, const u32* end, u32 at) {
  u64 step = 1;
  const u32* low = from;
  while (u64(end - low) > step && low[step] < at) low += step, step *= 2;
  const u32* high = u64(end - low) > step ? low + step : end;
  while (low < high) {
    const u32* middle = low + (high - low) / 2;
    if (*middle < at) low = middle + 1; else high = middle;
  }
  return low;
}

FG_INLINE void start_line(Walk& w, fg_facts& f, u32 stop, bool returns) {
  clear_facts(f);
  w.stop = stop;
  w.bits = 0, w.depth = 0, w.limit = FG_NO_FAULT, w.meta_seen = false, w.id_digits = 0, w.present = 0;
  w.code.type = w.message.type = FG_ABSENT;
  w.values[0] = w.values[1] = w.values[2] = nullptr;
  w.gap = returns ? *w.next : 0xFFFFFFFFu;  // without a CR in the chunk no line can hold a raw newline
}

// A chunk whose lines are read.
struct Chunk {
  u64 from;         // where it begins in the buffer
  const u32* last;  // one past the last token
  bool returns;     // is there a CR: without one no line can hold a raw newline
  u64 overrun;      // tokens of other lines that lines without an end were read on into
};

// Walks the line [line, stop) of a chunk, judges it and writes its row.
FG_INLINE int walk_line(LineJob& job, Walk& w, Chunk& chunk, u32 line, u32 stop) {
  const u8* const b = w.b;
  const u32* const first = w.next;
  const u32 backslash = w.backslash;
  fg_facts& f = w.f;
  start_line(w, f, stop, chunk.returns);
  // A line without an end would be read on into the next ones. A few of those may cost what they like; many are cut first.
  if (FG_UNLIKELY(chunk.overrun > u64(chunk.last - job.s.index.offsets()))) w.end = seek(first, chunk.last, stop);
  const bool whole = take_frame(w, nullptr, 0);
  w.keys.reset();
  if (FG_UNLIKELY(!whole)) {
    if (w.no_memory) return FG_NO_MEMORY;
    const u32* const next = seek(first, chunk.last, stop);
    if (w.next > next) chunk.overrun += u64(w.next - next);
    w.next = next;
    w.backslash = backslash >= stop ? backslash : next_backslash(w, stop);
    return line_alone(job, b + line, chunk.from + line, stop - line);
  }
  finish(w);
  fg_found found = {{0, 0}, {0, 0}, {0, 0}};
  const By by = judged_by(job, b, f);
  const u32 number = number_of(f, b, w.size);
  if (by.protocol) judge_frame(*by.protocol, job.s.keys, b, w.size, f, first, w.next, w.values, number, 0, found, nullptr, nullptr);
  const Verdict verdict = verdict_of(by.table, f, found, number);
  return emit(job.out, verdict, spans_of(f, line), chunk.from + line, stop - line) ? FG_OK : FG_NO_MEMORY;
}

// A line that is looked at alone: blank, too large, or to be learnt.
FG_COLD static int pass_line(LineJob& job, Walk& w, const Chunk& chunk, u32 line, u32 stop, const u64* learn) {
  w.next = seek(w.next, chunk.last, stop);
  if (w.backslash < stop) w.backslash = next_backslash(w, stop);
  return learn ? learn_line(job, chunk.from + line, stop - line, *learn) : line_alone(job, w.b + line, chunk.from + line, stop - line);
}

// A long line that repeats an earlier one, or that is learnt. False where it is to be walked.
FG_NOINLINE static bool take_repeat(LineJob& job, Walk& w, const Chunk& chunk, u32 start, u32 stop, int& status) {
  if (stop - start < Repeats::kShortest || stop - start > Repeats::kLongest || chunk.returns) return false;
  const Line line = {w.b, w.size, start, stop, w.next};
  const u64 hash = Repeats::hash_of(line);
  const Repeat* const repeat = job.s.repeats.find(w, line, u64(chunk.last - w.next), hash);
  if (!repeat) {
    if (!job.s.repeats.worth_learning(hash)) return false;
    status = pass_line(job, w, chunk, start, stop, &hash);
    return true;
  }
  status = emit(job.out, repeat->verdict, Repeats::spans_of(*repeat, line), chunk.from + start, stop - start) ? FG_OK : FG_NO_MEMORY;
  job.out.known++;
  w.next += repeat->tokens;
  if (w.backslash < stop) w.backslash = next_backslash(w, stop);
  return true;
}

static int indexed_chunk(LineJob& job, u64 from, u32 size) {
  const u8* const b = job.data + from;
  if (!job.s.ends.reserve(size + 1) || !job.s.slashes.reserve(size / 64 + 1)) return FG_NO_MEMORY;
  u32* const ends = job.s.ends.data();
  Marks marks = {ends, job.s.slashes.data(), 0, false};
  mark(b, size, marks, g_width);
  if (b[size - 1] != '\n') ends[marks.lines++] = size;
  pad_index(job.s.index, StageOne::kLongSlack);
  fg_facts f;
  Walk w(job.s.index, job.s.keys, b, size, job.limits, f, marks.slashes);
  Chunk chunk = {from, w.end, marks.returns, 0};
  const u32 loadable = static_cast<u32>(job.size - from < 0xFFFFFFFFu ? job.size - from : 0xFFFFFFFFu);
  const bool patterns = w.width >= kAvx2 && !marks.returns;
  Ahead aheads[Patterns::kAhead];
  u32 at = 0, count = 0;  // of them
  for (u32 i = 0, line = 0; i < marks.lines; line = ends[i++] + 1) {
    const u32 stop = ends[i];
    if (at == count) {
      count = patterns ? job.s.patterns.read_ahead(b, loadable, w.next, chunk.last, line, ends + i, marks.lines - i, aheads) : 0;
      at = 0;
    }
    Ahead* const ahead = at < count ? &aheads[at++] : nullptr;
    int status;
    Spans spans;
    const Verdict* known = nullptr;
    if (FG_UNLIKELY(w.next >= chunk.last || *w.next >= stop || stop - line > job.limits.max_frame_bytes)) {
      status = pass_line(job, w, chunk, line, stop, nullptr);
    } else if (FG_LIKELY(ahead != nullptr) && FG_LIKELY((known = job.s.patterns.find(w, *ahead, spans)) != nullptr)) {
      status = emit(job.out, *known, spans, from + line, stop - line) ? FG_OK : FG_NO_MEMORY;
      job.out.known++;
      w.next += ahead->build.count;
    } else if (FG_UNLIKELY(ahead && job.s.patterns.seen_before(*ahead))) {
      status = pass_line(job, w, chunk, line, stop, &ahead->build.hash);
    } else if (!take_repeat(job, w, chunk, line, stop, status)) {
      status = walk_line(job, w, chunk, line, stop);
    }
    if (FG_UNLIKELY(status != FG_OK)) return status;
  }
  return FG_OK;
}

// About how many lines a buffer has: by as many parts of it as make that a good guess, where lines of 100 bytes and of 25,000 alternate.
inline u64 guess_lines(const u8* data, u64 size) {
  constexpr u64 kPart = 1024, kFewest = 16, kMost = 512;
  const u64 wanted = kFewest + size / (256 * kPart), parts = wanted < kMost ? wanted : kMost;
  if (size <= kPart * parts) return u64(std::count(data, data + size, u8('\n'))) + 1;
  u64 lines = 1;
  for (u64 i = 0; i < parts; i++) {
    const u8* const part = data + size / parts * i;
    lines += u64(std::count(part, part + kPart, u8('\n')));
  }
  return static_cast<u64>(static_cast<double>(lines) * static_cast<double>(size) / static_cast<double>(kPart * parts));
}

// Room for the lines of a buffer, and some too much: moving columns to larger ones costs more, above all in pages that nobody had before.
// Where there is not that much memory the guess may be wrong: rows then make room as they come.
inline void guess_room(fg_columns& c, const u8* data, u64 size) {
  const u64 lines = guess_lines(data, size);
  const u64 rows = lines + lines / 4 + 16;
  grow(c, c.count + (c.most && c.most < rows ? c.most : rows));
}

// One past the last LF of data[0..size), or 0.
inline u32 last_newline(const u8* data, u32 size) {
#if defined(__linux__)
  const void* hit = memrchr(data, '\n', size);
  return hit ? static_cast<u32>(static_cast<const u8*>(hit) - data) + 1 : 0;
#else
  // By blocks, because a line may be as long as a chunk.
  for (u32 block; size; size -= block) {
    block = size < 256 ? size : 256;
    if (!memchr(data + size - block, '\n', block)) continue;
    while (data[size - 1] != '\n') size--;
    break;
  }
  return size;
#endif
}

// One past the next LF of data[from..size), or size.
inline u64 line_end(const u8* data, u64 from, u64 size) {
  const void* hit = memchr(data + from, '\n', size - from);
  return hit ? u64(static_cast<const u8*>(hit) - data) + 1 : size;
}

// How large chunks are. Stage 1 reads one that it refuses in vain: smaller and smaller parts of it show where the fault is, and behind
// that chunks begin at half the size and grow again.
class ChunkSizes {
 public:
  explicit ChunkSizes(u32 chunk) : chunk_(chunk), most_(chunk) {}

  // The whole lines at the beginning of data[0..left) that are the next chunk; a longer line is one of its own.
  u64 next(const u8* data, u64 left) {
    one_line_ = false;
    if (left <= most_) return left;
    const u32 whole = last_newline(data, most_);
    one_line_ = !whole;
    return whole ? whole : line_end(data, most_, left);
  }

  void taken(u64 stop) {
    if (stop < refused_ || most_ == chunk_) return;
    most_ += most_ / 8;
    if (most_ >= chunk_ / 2) most_ = chunk_;
  }

  // False where there is no smaller chunk: its lines are to be looked at alone.
  bool refused(u64 stop) {
    if (!refused_) refused_ = stop, behind_ = at_least(most_ / 2);
    const bool smaller = !one_line_ && most_ > kSmallest;
    if (smaller) most_ = at_least(most_ / 4);
    else most_ = behind_, refused_ = 0;
    return smaller;
  }

 private:
  static constexpr u32 kSmallest = 1024;

  u32 at_least(u32 size) const { return size > kSmallest ? size : kSmallest < chunk_ ? kSmallest : chunk_; }

  const u32 chunk_;
  u32 most_;
  u32 behind_ = 0;   // what chunks begin with behind a fault
  u64 refused_ = 0;  // where the chunk ends in which it is to be found; 0: none was refused
  bool one_line_ = false;
};

// Chunks of whole lines of about `chunk` bytes; a longer line is looked at alone. Where stage 1 refuses a chunk, smaller ones show where
// the fault is, and only there lines are looked at alone.
static int all_lines(LineJob& job, u32 chunk) {
  if (chunk > 1u << 30) chunk = 1u << 30;  // one past the end of a chunk must be a number of 32 bits too
  job.s.begin_lines(job.table.serial, job.limits);
  if (job.size) guess_room(job.out, job.data, job.size);
  ChunkSizes sizes(chunk);
  fg_columns& out = job.out;
  for (u64 from = out.read = 0; from < job.size && !(out.most && out.count >= out.most); out.read = from) {
    const u64 size = sizes.next(job.data + from, job.size - from), stop = from + size;
    StageOne::Status indexed = StageOne::kFault;
    if (size <= chunk) indexed = job.s.index.index(job.data + from, u32(size), StageOne::kLongSlack);
    if (indexed == StageOne::kNoMemory) return FG_NO_MEMORY;
    if (indexed == StageOne::kOk) sizes.taken(stop);
    else if (indexed == StageOne::kFault && size <= chunk && sizes.refused(stop)) continue;
    const int status = indexed == StageOne::kOk ? indexed_chunk(job, from, u32(size)) : lines_alone(job, from, stop);
    if (status != FG_OK) return status;
    from = stop;
  }
  return FG_OK;
}

}  // namespace fg
