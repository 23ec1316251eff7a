/* Preloaded: makes one allocation of the calling thread fail, the n-th after fail_malloc(n). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static __thread long left __attribute__((tls_model("initial-exec"))) = 0;
static __thread int failed __attribute__((tls_model("initial-exec"))) = 0;

void fail_malloc(long nth) { left = nth, failed = 0; }
/* Stops it; has one failed? */
int failed_malloc(void) { return left = 0, failed; }

static int fails(void) {
  if (left == 0 || --left > 0) return 0;
  errno = ENOMEM;
  return failed = 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
