// What a thread keeps between frames and buffers of lines.
#pragma once
#include <memory>
#include <new>

#include "frame/scratch.hpp"
#include "lines/line_cache/long.hpp"

namespace fg {

// One per thread, made on first use, freed when the thread ends. It holds no Python object and no borrowed pointer.
struct Scratch : FrameScratch {
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

}  // namespace fg
