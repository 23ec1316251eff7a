// Makes one allocation of the calling thread fail: where glibc is, and no sanitizer, which has an allocator of its own.
#pragma once
#include <cerrno>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FAILING 1

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);

namespace failing {

inline thread_local int left = 0;  // until one fails; 0: none will
// Smaller ones are not the core's, but those of the C library, which ends the process where it cannot note what a thread has to destroy.
constexpr size_t kLeast = 64;

inline bool fails(size_t size) {
  if (left == 0 || size < kLeast || --left > 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace failing

extern "C" void* malloc(size_t size) { return failing::fails(size) ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(size_t count, size_t size) { return failing::fails(count * size) ? nullptr : __libc_calloc(count, size); }
extern "C" void* realloc(void* old, size_t size) { return failing::fails(size) ? nullptr : __libc_realloc(old, size); }
#endif
