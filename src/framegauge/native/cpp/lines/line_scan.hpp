// Many frames at once: the lines of a buffer, to columns.
//
// Stage 1 runs once per chunk of whole lines. Where it accepts the chunk, every line is walked over that one index,
// except those that are known (line_cache.hpp). A raw newline cannot hide in a string: it is a control character, and
// the chunk would have failed. So each line is a frame. A line that the walk refuses is classified alone, and so is
// every line of a small chunk that stage 1 refuses.
#pragma once
#include "frame/claimed_revision.hpp"
#include "frame/classify.hpp"
#include "frame/marks.hpp"
#include "lines/chunks.hpp"
#include "lines/columns.hpp"
#include "lines/scratch.hpp"
#include "rules/value_rules.hpp"
#include "rules/fact_rules.hpp"

namespace fg {

// The number of the method of a frame of b[0..size), 0 where it has none, or one with escapes.
FG_INLINE u32 number_of(const fg_facts& f, const u8* b, u32 size) {
  const fg_envelope_value& method = f.envelope[FG_METHOD];
  if (method.type != FG_STRING || method.escaped) return 0;
  return method_number(b + method.start + 1, method.stop - method.start - 2, size - method.start > 10);
}

FG_INLINE Verdict verdict_of(const fg_table& table, const u8* b, const fg_facts& f, fg_found found, u32 method_number) {
  if (FG_UNLIKELY(!is_clean(table, f))) run_rows(table, f, found);
  return {f.bits, found, f.fault_offset, static_cast<u16>(method_number), marks_of(b, f), f.kind, f.fault};
}

// Spans of `f` count from `shift`.
FG_INLINE Spans spans_of(const fg_facts& f, u32 shift) {
  const fg_envelope_value &id = f.envelope[FG_ID], &method = f.envelope[FG_METHOD];
  Spans spans = {0, 0, 0, 0};
  if (id.count) spans.id_start = id.start - shift, spans.id_stop = id.stop - shift;
  if (method.type == FG_STRING) spans.method_start = method.start - shift, spans.method_stop = method.stop - shift;
  return spans;
}

struct LineJob {
  Scratch& s;
  const u8* data;
  u64 size;
  const fg_limits& limits;
  const fg_judges* by;   // by direction
  const u8* directions;  // by line; or null
  fg_columns& out;

  // That of the line whose row is next.
  u8 direction() const { return FG_LIKELY(!directions) ? 0 : directions[out.count]; }
};

// By what a line is judged: the revision that it names itself, or else that of the job.
struct By {
  const fg_table& table;
  const fg_protocol* protocol;
};

FG_INLINE By judged_by(const LineJob& job, const u8* b, const fg_facts& f) {
  const fg_judges& by = job.by[job.direction()];
  if (FG_LIKELY(!by.own)) return {*by.table, by.protocol};
  const u32 n = own_revision(b, f, *by.own);
  if (n == by.own->count) return {*by.table, by.protocol};
  return {*by.own->tables[n], by.own->protocols[n]};
}

// Reads the line at `at` of the buffer without those around it, from `data`. `learn`: its hash, to know the next such
// line by it; or null.
FG_COLD static int line_alone(LineJob& job, const u8* data, u64 at, u64 length, const u64* learn = nullptr) {
  fg_facts f;
  Scratch* const s = job.s.spare();
  const int status = classify_within(s, data, length, job.limits, f);
  if (status != FG_OK) return status;
  fg_found found = {{0, 0}, {0, 0}, {0, 0}};
  ValuesRead read(data, f);
  const By by = judged_by(job, data, f);
  if (by.protocol && !f.fault) judge_last(*by.protocol, *s, data, f.size, f, 0, found, nullptr, learn ? &read : nullptr);
  const Verdict verdict = verdict_of(by.table, data, f, found, number_of(f, data, f.size));
  const Spans spans = spans_of(f, 0);
  if (learn) {
    const Line line = {data, f.size, 0, f.size, s->index.offsets(), job.direction()};
    job.s.cache.learn(line, s->index.count(), f, *learn, read, verdict, spans);
  }
  return emit(job.out, verdict, spans, at, f.size) ? FG_OK : FG_NO_MEMORY;
}

FG_COLD static int learn_line(LineJob& job, u64 at, u32 length, u64 hash) {
  const u8* const copy = job.s.cache.copy(job.data + at, length);
  return line_alone(job, copy ? copy : job.data + at, at, length, copy ? &hash : nullptr);
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
  // A line without an end would be read on into the next ones. A few of those may cost what they like; many are cut
  // first.
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
  const Verdict verdict = verdict_of(by.table, b, f, found, number);
  return emit(job.out, verdict, spans_of(f, line), chunk.from + line, stop - line) ? FG_OK : FG_NO_MEMORY;
}

// A line that is looked at alone: blank, too large, or to be learnt.
FG_COLD static int pass_line(LineJob& job, Walk& w, const Chunk& chunk, u32 line, u32 stop, const u64* learn) {
  w.next = seek(w.next, chunk.last, stop);
  if (w.backslash < stop) w.backslash = next_backslash(w, stop);
  if (learn) return learn_line(job, chunk.from + line, stop - line, *learn);
  return line_alone(job, w.b + line, chunk.from + line, stop - line);
}

// The row of a line that is known, which is not walked.
FG_INLINE int known_line(LineJob& job, Walk& w, const Chunk& chunk, u32 line, u32 stop, const LineCache::Found& found) {
  job.out.known++;
  w.next += found.tokens;
  if (FG_UNLIKELY(w.backslash < stop)) w.backslash = next_backslash(w, stop);
  return emit(job.out, *found.verdict, found.spans, chunk.from + line, stop - line) ? FG_OK : FG_NO_MEMORY;
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
  LineCache& cache = job.s.cache;
  const u8* const directions = job.directions ? job.directions + job.out.count : nullptr;
  LineCache::Chunk lines(b, loadable, chunk.last, ends, directions, marks.lines, marks.returns, w.width);
  LineCache::Found found;
  for (u32 i = 0, line = 0; i < marks.lines; line = ends[i++] + 1) {
    const u32 stop = ends[i];
    cache.next(lines, i, line, w.next);
    int status;
    if (FG_UNLIKELY(w.next >= chunk.last || *w.next >= stop || stop - line > job.limits.max_frame_bytes)) {
      status = pass_line(job, w, chunk, line, stop, nullptr);
    } else {
      const LineCache::Answer answer = cache.lookup(lines, w, line, stop, found);
      if (FG_LIKELY(answer == LineCache::kKnown)) status = known_line(job, w, chunk, line, stop, found);
      else if (FG_UNLIKELY(answer == LineCache::kLearn)) status = pass_line(job, w, chunk, line, stop, &found.hash);
      else status = walk_line(job, w, chunk, line, stop);
    }
    if (FG_UNLIKELY(status != FG_OK)) return status;
  }
  return FG_OK;
}

// Chunks of whole lines of about `chunk` bytes; a longer line is looked at alone. Where stage 1 refuses a chunk,
// smaller ones show where the fault is, and only there lines are looked at alone.
static int all_lines(LineJob& job, u32 chunk) {
  if (chunk > 1u << 30) chunk = 1u << 30;  // one past the end of a chunk must be a number of 32 bits too
  job.s.cache.begin(job.by[0].table->serial, job.limits);
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
