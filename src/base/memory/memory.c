/* memory.c - see memory.h. Files of the kernel are read without allocating anything. */
#define _GNU_SOURCE /* madvise */
#include "base/memory/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/call/message.h"
#include "base/memory/size.h"

enum { SMALL = 1 << 25 }; /* 32 MiB: less is neither looked up nor refused */

/* The beginning of a file as a text; "" if it cannot be read. */
static const char *read_start(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return text;
}

/* The number after a word at the beginning of a line; -1 if there is none. */
static int64_t number_after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *s = text; s != NULL && *s != 0;) {
        if (strncmp(s, word, length) == 0) {
            char *end;
            const long long value = strtoll(s + length, &end, 10);
            return end != s + length && value >= 0 ? value : -1;
        }
        s = strchr(s, '\n');
        s = s != NULL ? s + 1 : NULL;
    }
    return -1;
}

/* What the control group of the process leaves; files in the page cache can be given up. */
static int64_t group_leaves(void)
{
    char text[4096];
    const int64_t most = number_after(read_start("/sys/fs/cgroup/memory.max", text, sizeof text), "");
    const int64_t used = number_after(read_start("/sys/fs/cgroup/memory.current", text, sizeof text), "");
    if (most < 0 || used < 0)
        return INT64_MAX;
    const int64_t cached = number_after(read_start("/sys/fs/cgroup/memory.stat", text, sizeof text), "inactive_file");
    const int64_t left = most - used + (cached > 0 ? cached : 0);
    return left > 0 ? left : 0;
}

int64_t plumb_memory_available(void)
{
    char text[4096];
    int64_t bytes = number_after(read_start("/proc/meminfo", text, sizeof text), "MemAvailable:");
    if (bytes >= 0 && !size_mul(bytes, 1024, &bytes))
        bytes = INT64_MAX;
    if (bytes < 0) {
        const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        if (pages <= 0 || page <= 0 || !size_mul(pages, page, &bytes))
            bytes = INT64_MAX;
    }
    const int64_t group = group_leaves();
    return group < bytes ? group : bytes;
}

bool plumb_memory_has(int64_t bytes)
{
    return bytes <= SMALL || bytes <= plumb_memory_available();
}

plumb_status plumb_memory_check(int64_t bytes, const char *what, char *message, size_t size)
{
    if (bytes <= SMALL)
        return PLUMB_OK;
    const int64_t there = plumb_memory_available();
    if (bytes <= there)
        return PLUMB_OK;
    return plumb_say(PLUMB_ERR_MEMORY, message, size, "%s needs %.3g GB of memory, %.3g GB are available", what,
                     (double)bytes * 1e-9, (double)there * 1e-9);
}

int64_t plumb_memory_add(int64_t a, int64_t b, int64_t c)
{
    int64_t product, sum;
    return size_mul(b, c, &product) && size_add(a, product, &sum) ? sum : INT64_MAX;
}

void plumb_memory_large(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21, begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
    if (memory != NULL && end > first + 4 * page)
        (void)madvise((char *)memory + (first - begin), end - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}
