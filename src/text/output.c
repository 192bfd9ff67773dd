/* output.c - see output.h. */
#define _GNU_SOURCE /* O_TMPFILE, faccessat with AT_EACCESS */
#include "text/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_NAMES = 1000, DESCRIPTOR_ROOM = 32, NAME_ROOM = 48 };

/* ---- Places -------------------------------------------------------------------------------------------------------- */

/* The folder of a path: "." where it has no slash. To be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* Where a path leads that does not exist, or is a link to what does not exist. To be freed; NULL: errno is set. */
static char *follow(const char *path)
{
    char *at = strdup(path);
    for (int links = 0; at != NULL; links++) {
        char to[PATH_MAX + 1];
        const ssize_t length = readlink(at, to, PATH_MAX);
        if (length < 0 && (errno == ENOENT || errno == EINVAL))
            return at;
        if (length < 0 || links == MOST_LINKS) {
            free(at);
            errno = length < 0 ? errno : ELOOP;
            return NULL;
        }
        to[length] = 0;
        char *folder = to[0] != '/' ? folder_of(at) : NULL;
        char *next = to[0] != '/' ? folder != NULL ? join(folder, to) : NULL : strdup(to);
        free(folder);
        free(at);
        at = next;
    }
    errno = ENOMEM;
    return NULL;
}

/* Two files are one if they have the same inode; two that do not exist, if their folder and their name are the same. */
typedef struct place {
    struct stat there;
    char *name; /* NULL: the file exists */
} place;

static bool find(const char *path, place *p)
{
    p->name = NULL;
    if (stat(path, &p->there) == 0)
        return true;
    char *target = errno == ENOENT ? follow(path) : NULL, *folder = target != NULL ? folder_of(target) : NULL;
    bool good = folder != NULL && stat(folder, &p->there) == 0 && (p->name = strdup(name_of(target))) != NULL;
    free(folder);
    free(target);
    return good;
}

bool file_same(const char *one, const char *other)
{
    place a, b = {.name = NULL};
    bool same = find(one, &a) && find(other, &b) && a.there.st_dev == b.there.st_dev &&
                a.there.st_ino == b.there.st_ino && (a.name == NULL) == (b.name == NULL) &&
                (a.name == NULL || strcmp(a.name, b.name) == 0);
    free(a.name);
    free(b.name);
    return same;
}

bool file_is_at(FILE *file, const char *path)
{
    struct stat open_file, there;
    return fstat(fileno(file), &open_file) == 0 && stat(path, &there) == 0 && open_file.st_dev == there.st_dev &&
           open_file.st_ino == there.st_ino;
}

/* ---- Opening ------------------------------------------------------------------------------------------------------- */

static void descriptor_path(int fd, char path[DESCRIPTOR_ROOM])
{
    snprintf(path, DESCRIPTOR_ROOM, "/proc/self/fd/%d", fd);
}

/* The k-th name to try for a new file of this process. To be freed. */
static char *new_name(const char *folder, int k)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, ".plumb-%ld-%d", (long)getpid(), k);
    return join(folder, name);
}

/* A file without a name that can be given one later, or -1. */
static int open_nameless(const char *folder)
{
#ifdef O_TMPFILE
    char path[DESCRIPTOR_ROOM];
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    descriptor_path(fd, path);
    if (access(path, F_OK) == 0) /* /proc is needed to give it a name */
        return fd;
    close(fd);
#else
    (void)folder;
#endif
    return -1;
}

static int open_named(const char *folder, char **name)
{
    for (int k = 0; k < MOST_NAMES; k++) {
        *name = new_name(folder, k);
        if (*name == NULL) {
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        const int reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
        if (reason != EEXIST)
            return -1;
    }
    return -1;
}

/* The permissions, and for root the owner, are those of the file that is replaced; otherwise what the umask leaves of 0666. */
static void set_rights(int fd, const struct stat *old)
{
    mode_t mask = umask(0);
    umask(mask);
    if (old != NULL && old->st_uid != geteuid() && geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid) != 0)
        errno = 0; /* the file system has no owners */
    (void)fchmod(fd, old != NULL ? old->st_mode & 07777 : 0666 & ~mask);
}

/* Opens a new file in the folder of the target. */
static int open_beside(file_output *output, const struct stat *old)
{
    char *folder = folder_of(output->target);
    if (folder == NULL)
        return ENOMEM;
    int fd = open_nameless(folder);
    if (fd < 0)
        fd = open_named(folder, &output->temporary);
    int reason = fd < 0 ? errno : 0;
    free(folder);
    if (fd < 0)
        return reason;
    set_rights(fd, old);
    output->file = fdopen(fd, "w+b");
    if (output->file != NULL)
        return 0;
    reason = errno;
    close(fd);
    return reason;
}

/* A zero write changes nothing and detects a device that is full and a descriptor that is closed. */
static int open_directly(FILE **file, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno;
    if (write(fd, "", 0) < 0) {
        const int reason = errno;
        close(fd);
        return reason;
    }
    *file = fdopen(fd, "wb");
    if (*file != NULL)
        return 0;
    close(fd);
    return ENOMEM;
}

/* Sets *target to the place of a plain file, or to NULL for what is written to directly. */
static int find_target(const char *path, bool *exists, struct stat *old, char **target)
{
    *target = NULL;
    *exists = stat(path, old) == 0;
    if (path[0] == 0)
        return ENOENT;
    if (!*exists && errno != ENOENT)
        return errno;
    if (*exists && S_ISDIR(old->st_mode))
        return EISDIR;
    if (*exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return errno;
    if (*exists && !S_ISREG(old->st_mode))
        return 0;
    *target = *exists ? realpath(path, NULL) : follow(path);
    if (*target == NULL)
        return errno;
    return *name_of(*target) != 0 ? 0 : EISDIR; /* "name/" */
}

int file_output_open(file_output *output, const char *path)
{
    struct stat old;
    bool exists;
    *output = (file_output){.file = NULL};
    int reason = find_target(path, &exists, &old, &output->target);
    if (reason == 0)
        reason =
            output->target != NULL ? open_beside(output, exists ? &old : NULL) : open_directly(&output->file, path);
    if (reason != 0)
        (void)file_output_close(output);
    return reason;
}

int file_output_try(const char *path)
{
    struct stat old;
    file_output output;
    if (stat(path, &old) == 0 && S_ISFIFO(old.st_mode))
        return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
    const int reason = file_output_open(&output, path);
    if (reason == 0)
        (void)file_output_close(&output);
    return reason;
}

FILE *file_unnamed(const char *folder)
{
    char *name = NULL;
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (fd < 0)
        fd = open_named(folder, &name);
    if (name != NULL)
        unlink(name);
    free(name);
    FILE *file = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

/* ---- Placing ------------------------------------------------------------------------------------------------------- */

/* Some file systems cannot be synchronised: then there is nothing to wait for. */
static int sync_reason(int result)
{
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == ESPIPE ? 0 : errno;
}

static int sync_file(int fd)
{
    return sync_reason(fsync(fd));
}

int file_output_hurry(FILE *file)
{
#ifdef SYNC_FILE_RANGE_WRITE
    return sync_reason(sync_file_range(fileno(file), 0, 0, SYNC_FILE_RANGE_WRITE));
#else
    (void)file;
    return 0;
#endif
}

int file_output_finish(file_output *output)
{
    errno = 0;
    if (fflush(output->file) != 0 || ferror(output->file))
        return errno != 0 ? errno : EIO;
    return output->target != NULL ? sync_file(fileno(output->file)) : 0;
}

/* The name itself reaches the disk with the folder. */
static void sync_folder(const char *target)
{
    char *folder = folder_of(target);
    const int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

/* Gives a file without a name the first free one in its folder. */
static int give_name(file_output *output, const char *nameless)
{
    char *folder = folder_of(output->target);
    int reason = folder != NULL ? EEXIST : ENOMEM;
    for (int k = 0; k < MOST_NAMES && reason == EEXIST; k++) {
        output->temporary = new_name(folder, k);
        reason = output->temporary == NULL                                                         ? ENOMEM
                 : linkat(AT_FDCWD, nameless, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                                   : errno;
        if (reason != 0) {
            free(output->temporary);
            output->temporary = NULL;
        }
    }
    free(folder);
    return reason;
}

static void forget_name(file_output *output)
{
    free(output->temporary);
    output->temporary = NULL;
}

/* link(2) never replaces anything, rename(2) always does. */
static int place_nameless(file_output *output, bool replace)
{
    char nameless[DESCRIPTOR_ROOM];
    descriptor_path(fileno(output->file), nameless);
    if (linkat(AT_FDCWD, nameless, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno != EEXIST || !replace)
        return errno;
    return give_name(output, nameless);
}

static int place_named(file_output *output, bool replace)
{
    const char *name = output->temporary;
    if ((replace ? rename(name, output->target) : link(name, output->target)) != 0)
        return errno;
    if (!replace)
        unlink(name);
    forget_name(output);
    return 0;
}

int file_output_place(file_output *output, bool replace)
{
    if (output->target == NULL)
        return 0;
    int reason = output->temporary == NULL ? place_nameless(output, replace) : 0;
    if (reason == 0 && output->temporary != NULL) {
        reason = place_named(output, replace);
        if (reason != 0) {
            unlink(output->temporary);
            forget_name(output);
        }
    }
    if (reason == 0)
        sync_folder(output->target);
    return reason;
}

int file_output_close(file_output *output)
{
    errno = 0;
    int reason = output->file == NULL || fclose(output->file) == 0 ? 0 : errno != 0 ? errno : EIO;
    if (output->temporary != NULL)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (file_output){.file = NULL};
    return reason;
}

/* ---- Locks --------------------------------------------------------------------------------------------------------- */

int file_lock(FILE *file, pid_t *holder)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *holder = 0;
    if (fcntl(fileno(file), F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
        return 0;
    if (fcntl(fileno(file), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
        *holder = lock.l_pid;
    return EAGAIN;
}
