/* outputs.c - see outputs.h. The tables of options show which words of a command line are files. */
#include "app/command/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"

enum { TITLE = 48 };

typedef struct named_file {
    char title[TITLE]; /* "-o/--output", "SYSTEM" */
    const char *path;  /* "-" is a standard stream */
    app_kind kind;     /* APP_INPUT, APP_OUTPUT or APP_FOLDER */
} named_file;

typedef struct file_list {
    named_file *file;
    int count;
} file_list;

/* A store is an output only if it is not there yet. */
static app_kind use_of(app_kind kind, const char *path)
{
    return kind != APP_STORE ? kind : access(path, F_OK) == 0 ? APP_INPUT : APP_OUTPUT;
}

static void collect(const app_command *command, const char *values, file_list *list)
{
    const char *const *words = (const char *const *)(values + command->files);
    for (const app_option *o = command->options; o->name != NULL; o++) {
        const char *path = app_is_file(o->kind) ? *(const char *const *)(values + o->offset) : NULL;
        if (path == NULL)
            continue;
        named_file *f = &list->file[list->count++];
        *f = (named_file){.path = path, .kind = use_of(o->kind, path)};
        if (o->letter != 0)
            snprintf(f->title, TITLE, "-%c/--%s", o->letter, o->name);
        else
            snprintf(f->title, TITLE, "--%s", o->name);
    }
    for (int i = 0, name = 0; i < command->most_files && !command->only_words; i++) {
        if (words[i] != NULL) {
            named_file *f = &list->file[list->count++];
            *f = (named_file){.path = words[i], .kind = APP_INPUT};
            snprintf(f->title, TITLE, "%s", command->file_names[name]);
        }
        name += command->file_names[name + 1] != NULL;
    }
}

/* ---- Two names of one file ------------------------------------------------------------------------------------------ */

/* Is the standard stream a plain file, and the one at this path? */
static bool is_stream_file(int stream, const char *path)
{
    struct stat open_file, there;
    return fstat(stream, &open_file) == 0 && S_ISREG(open_file.st_mode) && stat(path, &there) == 0 &&
           open_file.st_dev == there.st_dev && open_file.st_ino == there.st_ino;
}

static bool are_streams_one_file(void)
{
    struct stat in, out;
    return fstat(STDIN_FILENO, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode) &&
           in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

static int stream_of(const named_file *f)
{
    return f->kind == APP_INPUT ? STDIN_FILENO : STDOUT_FILENO;
}

/* Devices and pipes may have several names in one command: terminals do. */
static bool is_plain(const char *path)
{
    struct stat there;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
}

static bool are_one_file(const named_file *a, const named_file *b)
{
    const bool a_is_stream = app_is_stream(a->path), b_is_stream = app_is_stream(b->path);
    if (a_is_stream && b_is_stream)
        return stream_of(a) != stream_of(b) && are_streams_one_file(); /* commands decide what may share one */
    if (a_is_stream || b_is_stream)
        return is_stream_file(stream_of(a_is_stream ? a : b), a_is_stream ? b->path : a->path);
    return is_plain(a->path) && file_same(a->path, b->path);
}

static int check_pairs(const char *command, const file_list *list)
{
    for (int i = 0; i < list->count; i++)
        for (int k = i + 1; k < list->count; k++) {
            const named_file *a = &list->file[i], *b = &list->file[k];
            if ((a->kind == APP_OUTPUT || b->kind == APP_OUTPUT) && a->kind != APP_FOLDER && b->kind != APP_FOLDER &&
                are_one_file(a, b))
                return app_misuse(command, "%s and %s are one file, '%s'; expected an output of its own", a->title,
                                  b->title, app_is_stream(a->path) ? b->path : a->path);
        }
    return APP_OK;
}

/* ---- Can they be written? ------------------------------------------------------------------------------------------- */

static int check_folder(const char *command, const named_file *f)
{
    struct stat there;
    if (stat(f->path, &there) == 0 && !S_ISDIR(there.st_mode))
        errno = ENOTDIR;
    else if (access(f->path, W_OK | X_OK) == 0)
        return APP_OK;
    return app_fail(command, "%s: nothing can be written into '%s': %s", f->title, f->path, strerror(errno));
}

static int check_writable(const char *command, const file_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const named_file *f = &list->file[i];
        int reason = 0;
        if (f->kind == APP_FOLDER) {
            const int result = check_folder(command, f);
            if (result != APP_OK)
                return result;
        } else if (f->kind == APP_OUTPUT && !app_is_stream(f->path)) {
            reason = file_output_try(f->path);
        }
        if (reason != 0)
            return app_fail(command, "%s: %s could not be written: %s", f->title, f->path, strerror(reason));
    }
    return APP_OK;
}

static bool has_flag(const app_command *command, const char *values, const char *name)
{
    for (const app_option *o = command->options; o->name != NULL; o++)
        if (o->kind == APP_FLAG && strcmp(o->name, name) == 0)
            return *(const bool *)(values + o->offset);
    return false;
}

/* Will the command write to standard output? */
static bool uses_stdout(const app_command *command, const char *values, const file_list *list)
{
    bool output = false;
    for (int i = 0; i < list->count; i++) {
        output |= list->file[i].kind == APP_OUTPUT;
        if (list->file[i].kind == APP_OUTPUT && app_is_stream(list->file[i].path))
            return true;
    }
    return has_flag(command, values, "json") ||
           (!has_flag(command, values, "quiet") && (command->summary_shown || !output));
}

/* Standard output counts as a file of the list, so that "plumb ... >FILE" is compared with the others, too. */
static int check_stdout(const char *command, file_list *list)
{
    bool named = false;
    for (int i = 0; i < list->count; i++)
        named |= list->file[i].kind == APP_OUTPUT && app_is_stream(list->file[i].path);
    if (!named)
        list->file[list->count++] = (named_file){.title = "standard output", .path = "-", .kind = APP_OUTPUT};
    if (write(STDOUT_FILENO, "", 0) == 0)
        return APP_OK;
    return app_fail(command, "standard output could not be written: %s", strerror(errno));
}

int app_outputs_check(const app_command *command, const void *values)
{
    size_t room = (size_t)command->most_files + 2;
    for (const app_option *o = command->options; o->name != NULL; o++)
        room++;
    file_list list = {.file = calloc(room, sizeof *list.file)};
    if (list.file == NULL)
        return app_fail(command->name, "out of memory");
    collect(command, values, &list);
    int result = uses_stdout(command, values, &list) ? check_stdout(command->name, &list) : APP_OK;
    if (result == APP_OK)
        result = check_pairs(command->name, &list);
    if (result == APP_OK)
        result = check_writable(command->name, &list);
    free(list.file);
    return result;
}

void app_streams_open(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY}; /* the wrong ones for input and output: they fail */
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", modes[fd]); /* the lowest free descriptor, which is fd */
}
