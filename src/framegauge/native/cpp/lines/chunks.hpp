// Where the chunks of a buffer end: stage 1 reads one at a time.
#pragma once
#include "lines/line.hpp"

namespace fg {

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

// How large chunks are. Stage 1 reads one that it refuses in vain: smaller and smaller parts of it show where the fault
// is, and behind that chunks begin at half the size and grow again.
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

}  // namespace fg
