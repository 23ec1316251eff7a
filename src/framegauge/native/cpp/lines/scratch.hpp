// What a thread keeps between frames and buffers of lines.
#pragma once
#include <memory>
#include <new>

#include "frame/scratch.hpp"
#include "lines/line_cache.hpp"

namespace fg {

// One per thread, made on first use, freed when the thread ends. It holds no Python object and no borrowed pointer.
struct Scratch : FrameScratch {
  Stack<u32> ends;  // of the lines of a chunk
  Stack<u64> slashes;  // its backslashes: see Marks
  LineCache cache;

  // A second one, for a line that is looked at alone while the index of its chunk is in use.
  Scratch* spare() noexcept {
    if (!spare_) spare_.reset(new (std::nothrow) Scratch);
    return spare_.get();
  }

 private:
  std::unique_ptr<Scratch> spare_;
};

}  // namespace fg
