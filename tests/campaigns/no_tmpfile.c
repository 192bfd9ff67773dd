/* no_tmpfile.c - a library to preload: files without a name (O_TMPFILE) are not supported, as on file systems over a network. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

typedef int open_function(const char *path, int flags, ...);

static int open_as(const char *name, const char *path, int flags, mode_t mode)
{
    open_function *next;
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(&next, &symbol, sizeof next); /* ISO C has no conversion */
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return next(path, flags, mode);
}

#define DEFINE_OPEN(name)                              \
    int name(const char *file, int oflag, ...)         \
    {                                                  \
        va_list more;                                  \
        va_start(more, oflag);                         \
        const mode_t mode = (mode_t)va_arg(more, int); \
        va_end(more);                                  \
        return open_as(#name, file, oflag, mode);      \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
