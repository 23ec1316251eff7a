// What a thread keeps between frames, and what every scan starts with.
#pragma once
#include <cstddef>

#include "frame/walk_state.hpp"

namespace fg {

struct FrameScratch {
  StageOne index;
  Keys keys;
  const u32* values[3];  // of the last frame: see Walk
};

FG_INLINE void clear_facts(fg_facts& f) {
  // The described members stay as they are: counts has the number of set ones.
  zero<offsetof(fg_facts, members)>(&f);
}

// Ends the index with copies of its last offset, so that the walk may run over its end by a few loads.
inline void pad_index(StageOne& index, u32 slack = StageOne::kSlack) {
  u32* end = index.offsets() + index.count();
  const u32 last = end[-1];
  for (u32 i = 0; i < slack; i++) end[i] = last;
}

}  // namespace fg
