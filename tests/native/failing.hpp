// Makes one allocation of the calling thread fail, and counts those that it and all threads hold: where glibc is, and no sanitizer, which has
// an allocator of its own.
#pragma once
#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FAILING 1

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);
extern "C" void __libc_free(void*);

namespace failing {

inline thread_local int left = 0;   // until one fails; 0: none will
inline thread_local long held = 0;  // allocated and not freed
inline std::atomic<long> held_by_all{0};
// Smaller ones are not the core's, but those of the C library, which ends the process where it cannot note what a thread has to destroy.
constexpr size_t kLeast = 64;

inline bool fails(size_t size) {
  if (left == 0 || size < kLeast || --left > 0) return false;
  errno = ENOMEM;
  return true;
}

inline void* hold(void* memory) {
  held += memory != nullptr, held_by_all += memory != nullptr;
  return memory;
}

}  // namespace failing

extern "C" void* malloc(size_t size) { return failing::fails(size) ? nullptr : failing::hold(__libc_malloc(size)); }
extern "C" void* calloc(size_t count, size_t size) { return failing::fails(count * size) ? nullptr : failing::hold(__libc_calloc(count, size)); }
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  const bool odd = alignment & (alignment - 1) || size % alignment;  // the standard refuses it, and glibc from 2.38 on
  return odd || failing::fails(size) ? nullptr : failing::hold(__libc_memalign(alignment, size));
}
extern "C" void* realloc(void* old, size_t size) {
  if (failing::fails(size)) return nullptr;
  void* const memory = __libc_realloc(old, size);
  return old ? memory : failing::hold(memory);
}
extern "C" void free(void* memory) {
  failing::held -= memory != nullptr, failing::held_by_all -= memory != nullptr;
  __libc_free(memory);
}
#endif
