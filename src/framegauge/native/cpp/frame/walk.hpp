// Stage 2: one walk over stage 1's index. Not recursive, no allocation per frame, every load inside the frame.
//
// Only well-formed frames get through; fault_reader.hpp finds what is wrong with the others. It stops on its own
// at a limit. Offsets from the index are always inside the frame, and kSlack copies follow the last one: the bracket loops
// look at the end once per element and may run over it by fewer than that many loads in between.
#pragma once
#include "frame/walk_members.hpp"

namespace fg {

// One value of an array at the top; returns one past it, or 0.
FG_INLINE u32 take_element(Walk& w, u32 p) {
  const u8 type = kByte.type[w.b[p]];
  switch (type) {
    case FG_STRING: {
      const u32 q = closing_quote(w.b, p, *w.next);
      if (q == p || (w.backslash < *w.next && !take_own_escapes(w, q))) return 0;
      if (q - p >= kLongString) search_gap(w, p, q);
      return q + 1;
    }
    case FG_OBJECT:
    case FG_ARRAY:
      return take_container(w, p);
    case FG_NUMBER:
      return take_number(w, p, *w.next);
    case FG_ABSENT:
      return 0;
    default:
      return take_literal(w.b, p, *w.next, type);
  }
}

// The array that opens at p. Writes the spans of up to `room` elements.
static u32 take_batch(Walk& w, u32 p, u32* spans, u32 room) {
  const u8* const b = w.b;
  if (!w.reach(++w.depth, p)) return 0;
  if (w.next >= w.end) return 0;
  p = *w.next++;
  if (b[p] != ']') {
    for (;;) {
      if (w.f.items >= w.limits.max_batch_items && kByte.type[b[p]] != FG_ABSENT) return w.stop_at(FG_BATCH_TOO_LARGE, p);
      const u32 start = p, stop = take_element(w, p);
      if (!stop) return 0;
      if (w.f.items < room) spans[2 * w.f.items] = start, spans[2 * w.f.items + 1] = stop;
      w.f.items++;
      if (FG_UNLIKELY(w.next >= w.end)) return 0;
      p = *w.next++;
      if (b[p] == ']') break;
      if (b[p] != ',') return 0;
      p = *w.next++;
    }
  }
  w.depth--;
  return p + 1;
}

// A scalar at the top level: it has one token, and stage 1 does not report its end.
static u32 take_scalar(Walk& w, u32 p) {
  u32 stop = w.stop;
  while (stop > p + 1 && kByte.blank[w.b[stop - 1]]) stop--;
  const u8 type = kByte.type[w.b[p]];
  if (type == FG_NUMBER) return take_number(w, p, stop) == stop ? stop : 0;
  if (type != FG_STRING) return type != FG_ABSENT && take_literal(w.b, p, stop, type) == stop ? stop : 0;
  if (stop - p < 2 || w.b[stop - 1] != '"') return 0;
  return w.backslash >= stop || take_own_escapes(w, stop - 1) ? stop : 0;
}

// The whole frame: true where it is one JSON text within the limits.
static bool take_frame(Walk& w, u32* spans, u32 room) {
  const u32 p = *w.next++;
  const u8 type = kByte.type[w.b[p]];
  w.f.top = type;
  if (FG_UNLIKELY(w.gap < p)) w.gap = p;  // blanks before the first token do not count
  u32 stop;
  if (FG_LIKELY(type == FG_OBJECT)) {
    stop = take_object<Level::kEnvelope>(w, p, 0);
  } else if (type == FG_ARRAY) {
    stop = take_batch(w, p, spans, room);
  } else {
    stop = w.next >= w.end || *w.next >= w.stop ? take_scalar(w, p) : 0;
  }
  if (!stop || stop > w.stop || (w.next < w.end && *w.next < w.stop)) return false;
  if (FG_UNLIKELY(w.gap < stop)) search_gap(w, stop, stop);
  return true;
}

}  // namespace fg
