/* faults.c - a library to preload (LD_PRELOAD) that makes one allocation or one thread creation fail.
 *
 *   FAULTS_KIND=memory|thread   what is counted, from the start of main on
 *   FAULTS_AT=K                 which one fails, from 1; 0: none
 *   FAULTS_COUNT=FILE           receives how many there were
 *
 * Allocations by GMP, MPFR, FLINT, the libraries that it needs and the dynamic loader are not counted: they end the process when one
 * fails. What GMP and MPFR need plumb reserves before it calls them (base/memory/reserve.h); faults.py tests that by running out of address
 * space. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIND_NONE, KIND_MEMORY, KIND_THREAD };
static int kind;
static long fails_at, counted;
static const char *count_file;

/* Counts one event and tells whether it fails. */
static int strikes(void)
{
    const long number = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
    return number == fails_at;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int is_spared(const void *caller)
{
    static const char *const names[] = {"libgmp", "libmpfr", "libflint", "libarb", "libntl", "libstdc++", "/ld-"};
    Dl_info library;
    if (!dladdr(caller, &library) || !library.dli_fname)
        return 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strstr(library.dli_fname, names[k]))
            return 1;
    return 0;
}

static int memory_fails(const void *caller)
{
    if (kind != KIND_MEMORY || is_spared(caller) || !strikes())
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(ptr, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memptr, size_t alignment, size_t size)
{
    if (memory_fails(__builtin_return_address(0)))
        return ENOMEM;
    *memptr = __libc_memalign(alignment, size);
    return *memptr ? 0 : ENOMEM;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

int pthread_create(pthread_t *newthread, const pthread_attr_t *attr, void *(*start_routine)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (kind == KIND_THREAD && strikes())
        return EAGAIN;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(newthread, attr, start_routine, arg);
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("FAULTS_KIND"), *at = getenv("FAULTS_AT");
    count_file = getenv("FAULTS_COUNT");
    fails_at = at ? strtol(at, NULL, 10) : 0;
    unsetenv("LD_PRELOAD"); /* not for the programs that are started */
    kind = !what                         ? KIND_NONE
           : strcmp(what, "memory") == 0 ? KIND_MEMORY
           : strcmp(what, "thread") == 0 ? KIND_THREAD
                                         : KIND_NONE;
}

__attribute__((destructor)) static void end(void)
{
    const int was = kind;
    char text[32];
    kind = KIND_NONE;
    fails_at = 0;
    if (!count_file || was == KIND_NONE)
        return;
    const int length = snprintf(text, sizeof text, "%ld\n", counted);
    const int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, text, (size_t)length) != length)
        _exit(99);
    close(fd);
}
