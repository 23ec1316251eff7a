// One frame to facts: stage 1, the walk, and for a refused frame the fault.
#pragma once
#include "frame/envelope_facts.hpp"
#include "frame/scratch.hpp"
#include "json/fault_reader.hpp"

namespace fg {

// A limit stopped the frame at the token at `at`. Facts are those of the bytes before it: neither the token that was
// refused nor anything behind it may show, so that part is walked again. The index is padded with the token, for a walk
// that looks ahead.
FG_COLD static int read_up_to(FrameScratch& s, const u8* data, u32 at, u8 limit, const fg_limits& limits, fg_facts& f) {
  clear_facts(f);
  StageOne::Status status = at ? s.index.index(data, at) : StageOne::kBlank;
  const bool first = status == StageOne::kBlank;  // then it is indexed, and nothing is walked
  if (first) status = s.index.index(data, at + 1);
  if (status == StageOne::kNoMemory) return FG_NO_MEMORY;
  if (status == StageOne::kOk) {
    for (u32 i = 0; i < StageOne::kSlack; i++) s.index.offsets()[s.index.count() + i] = at;
    Walk w(s.index, s.keys, data, at + 1, limits, f);
    w.stop = at;
    if (!first) take_frame(w, nullptr, 0);
    s.keys.reset();
    if (first) f.top = kByte.type[data[at]];
    finish_limit(w, limit, at);
    return w.no_memory ? FG_NO_MEMORY : FG_OK;
  }
  // Only a frame that changed while it was read comes here.
  f.fault = limit;
  f.fault_offset = at;
  f.kind = FG_INVALID;
  return FG_OK;
}

FG_COLD static int explain(FrameScratch& s, const u8* data, u32 size, const fg_limits& limits, fg_facts& f) {
  bool no_memory = false;
  const Fault fault = find_fault(data, size, limits, no_memory);
  if (no_memory) return FG_NO_MEMORY;
  if (fault.rule >= FG_FIRST_LIMIT) {
    const int status = read_up_to(s, data, fault.at, fault.rule, limits, f);
    f.size = size;
    return status;
  }
  clear_facts(f);
  f.size = size;
  f.kind = FG_PARSE_ERROR;
  // Only a frame that changed while it was read can be refused by the walk and have no fault: it is refused all the
  // same.
  f.fault = fault.rule == FG_NO_FAULT ? static_cast<u8>(FG_BAD_STRUCTURE) : fault.rule;
  f.fault_offset = fault.at;
  f.json_start = fault.json_start;
  return FG_OK;
}

static int classify(FrameScratch* s, const u8* data, u32 size, const fg_limits& limits, fg_facts& f, u32* spans, u32 room) {
  if (FG_UNLIKELY(!s)) return FG_NO_MEMORY;
  const StageOne::Status status = size ? s->index.index(data, size) : StageOne::kBlank;
  if (FG_LIKELY(status == StageOne::kOk)) {
    pad_index(s->index);
    Walk w(s->index, s->keys, data, size, limits, f);
    const bool whole = take_frame(w, spans, room);
    s->keys.reset();
    if (FG_LIKELY(whole)) {
      finish(w);
      s->values[0] = w.values[0], s->values[1] = w.values[1], s->values[2] = w.values[2];
      return FG_OK;
    }
    if (w.no_memory) return FG_NO_MEMORY;
    if (w.limit) {
      const int done = read_up_to(*s, data, w.limit_at, w.limit, limits, f);
      f.size = size;
      return done;
    }
  } else if (status == StageOne::kBlank) {
    f.kind = FG_EMPTY;
    return FG_OK;
  } else if (status == StageOne::kNoMemory) {
    return FG_NO_MEMORY;
  }
  return explain(*s, data, size, limits, f);
}

// Facts of one frame with that scratch, which may be null: no memory.
static int classify_within(FrameScratch* s, const u8* data, u64 size, const fg_limits& limits, fg_facts& f) {
  clear_facts(f);
  f.size = size > UINT32_MAX ? UINT32_MAX : static_cast<u32>(size);
  if (FG_UNLIKELY(size > limits.max_frame_bytes || size > UINT32_MAX)) {
    f.kind = FG_INVALID;
    f.fault = FG_FRAME_TOO_LARGE;
    f.fault_offset = limits.max_frame_bytes;
    return FG_OK;
  }
  return classify(s, data, f.size, limits, f, nullptr, 0);
}

}  // namespace fg
