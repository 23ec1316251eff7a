// The columns of many lines, in one block of memory that grows.
#pragma once
#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "lines/line.hpp"

namespace fg {

constexpr size_t kLargePage = size_t(2) << 20;

// Memory for columns; `size` is at most SIZE_MAX - kLargePage. Large ones want large pages: page faults were 7 % of the
// time.
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

constexpr u32 kRowBytes = 4 * 8 + 6 * 4 + 2 * 2 + 2 * 1;  // of all columns

// All columns are in one block, the widest first, so that each is aligned.
FG_COLD inline bool grow(fg_columns& c, u64 room) {
  const bool possible = room <= (SIZE_MAX - kLargePage) / kRowBytes;
  u8* const block = possible ? static_cast<u8*>(column_memory(size_t(room) * kRowBytes)) : nullptr;
  if (!block) return false;
  void* const old = c.offset;
  u8* free_place = block;
  move_column(c.offset, free_place, c, room), move_column(c.facts, free_place, c, room);
  move_column(c.rules, free_place, c, room, 2);
  move_column(c.length, free_place, c, room), move_column(c.fault_offset, free_place, c, room);
  move_column(c.id_start, free_place, c, room), move_column(c.id_stop, free_place, c, room);
  move_column(c.method_start, free_place, c, room), move_column(c.method_stop, free_place, c, room);
  move_column(c.method, free_place, c, room), move_column(c.marks, free_place, c, room);
  move_column(c.kind, free_place, c, room), move_column(c.fault, free_place, c, room);
  free(old);
  c.room = room;
  return true;
}

// Writes a row.
FG_INLINE bool emit(fg_columns& c, const Verdict& verdict, const Spans& spans, u64 offset, u32 length) {
  if (FG_UNLIKELY(c.count == c.room) && !grow(c, c.room + c.room / 4 + 1024)) return false;
  const u64 i = c.count++;
  const fg_found& found = verdict.found;
  // A batch is settled by its elements.
  if (FG_UNLIKELY(found.rules[0] | found.rules[1]) && (verdict.kind != FG_BATCH || verdict.fault)) {
    for (int n = 0; n < 2; n++)
      c.any.rules[n] |= found.rules[n], c.any.errors[n] |= found.errors[n], c.any.warnings[n] |= found.warnings[n];
  }
  c.offset[i] = offset, c.length[i] = length, c.kind[i] = verdict.kind, c.facts[i] = verdict.facts;
  c.rules[2 * i] = found.rules[0], c.rules[2 * i + 1] = found.rules[1];
  c.fault[i] = verdict.fault, c.fault_offset[i] = verdict.fault_offset;
  c.id_start[i] = spans.id_start, c.id_stop[i] = spans.id_stop;
  c.method_start[i] = spans.method_start, c.method_stop[i] = spans.method_stop;
  c.method[i] = verdict.method, c.marks[i] = verdict.marks;
  return true;
}

// About how many lines a buffer has: by as many parts of it as make that a good guess, where lines of 100 bytes and of
// 25,000 alternate.
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

// Room for the lines of a buffer, and some too much: moving columns to larger ones costs more, above all in new
// pages. Where there is not that much memory the guess may be wrong: rows then make room as they come.
inline void guess_room(fg_columns& c, const u8* data, u64 size) {
  const u64 lines = guess_lines(data, size);
  const u64 rows = lines + lines / 4 + 16;
  grow(c, c.count + (c.most && c.most < rows ? c.most : rows));
}

}  // namespace fg
