// What a thread keeps between frames, and what every scan starts with.
#pragma once
#include <cstddef>
#include <memory>
#include <new>

#include "lines/line_cache/long.hpp"

namespace fg {

// One per thread, made on first use, freed when the thread ends. It holds no Python object and no borrowed pointer.
struct Scratch {
  StageOne index;
  Keys keys;
  const u32* values[3];  // of the last frame: see Walk
  Stack<u32> ends;  // of the lines of a chunk
  Stack<u64> slashes;  // its backslashes: see Marks
  Patterns patterns;  // of lines
  Repeats repeats;

  // Before a buffer. What is known of lines stays so where they are judged by the same as before: of that serial, within those limits.
  void begin_lines(u64 serial, const fg_limits& limits) {
    if (serial && serial == serial_ && memcmp(&limits, &limits_, sizeof limits) == 0) return;
    serial_ = serial, limits_ = limits;
    patterns.forget(), repeats.forget();
  }

  // A second one, for a line that is looked at alone while the index of its chunk is in use.
  Scratch* spare() noexcept {
    if (!spare_) spare_.reset(new (std::nothrow) Scratch);
    return spare_.get();
  }

 private:
  u64 serial_ = 0;  // of the last buffer of lines
  fg_limits limits_ = {0, 0, 0, 0, 0};
  std::unique_ptr<Scratch> spare_;
};

FG_INLINE void clear_facts(fg_facts& f) {
  // The described members stay as they are: counts says how many are set.
  zero<offsetof(fg_facts, members)>(&f);
}

// Ends the index with copies of its last offset, so that the walk may run over its end by a few loads.
inline void pad_index(StageOne& index, u32 slack = StageOne::kSlack) {
  u32* end = index.offsets() + index.count();
  const u32 last = end[-1];
  for (u32 i = 0; i < slack; i++) end[i] = last;
}

// Facts of one frame with that scratch (which may be null: no memory).
int fg_classify_with(Scratch* scratch, const u8* data, u64 size, const fg_limits& limits, fg_facts& facts);

}  // namespace fg
