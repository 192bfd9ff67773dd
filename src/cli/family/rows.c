/* rows.c - the targets of a family from a CSV file, a stream or an npy file; see family.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "app/stop.h"
#include "cli/family/family.h"
#include "cli/family/map.h"
#include "text/matrix/matrix.h"
#include "text/targets.h"

enum { FIRST_ROOM = 1 << 16, MOST_ROOM = 1 << 26 }; /* of a line, in bytes */

struct family_rows {
    const char *command, *path;
    int64_t parameters, line;
    target_columns columns;
    int file; /* descriptor */
    bool owned, ended;
    bool is_given; /* one target, whose values are in the path itself: a=1,b=2 */
    char *buffer;  /* bytes begin .. end - 1 have not been read yet */
    size_t begin, end, room;
    plumb_matrix matrix; /* of an npy file */
    bool is_matrix;
    const family_map *map; /* or NULL */
    int64_t row;
    int64_t group; /* of a stream, rows that are waited for together */
    int64_t count; /* of all rows, if that is known; otherwise 0 */
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static int unreadable(const family_rows *r, int reason)
{
    return app_misuse(r->command, "%s could not be read: %s", app_input_name(r->path), strerror(reason));
}

/* Waits until a read returns at once. False after a stop: then there are no more lines, and what has come of the last one is dropped. */
static bool wait_for_more(family_rows *r)
{
    enum { MILLISECONDS = 100 };
    struct pollfd f = {.fd = r->file, .events = POLLIN};
    while (!app_stopped() && poll(&f, 1, MILLISECONDS) == 0)
        continue;
    if (!app_stopped())
        return true;
    r->ended = true;
    r->begin = r->end = 0;
    return false;
}

/* Reads more bytes behind those that are there. */
static int fill(family_rows *r)
{
    if (r->begin > 0) {
        memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    if (r->end == r->room) {
        if (r->room >= MOST_ROOM)
            return app_misuse(NULL, "%s:%lld: the line is longer than 64 MiB", app_input_name(r->path),
                              (long long)r->line + 1);
        char *larger = realloc(r->buffer, 2 * r->room);
        if (larger == NULL)
            return app_fail(r->command, "out of memory");
        r->buffer = larger;
        r->room *= 2;
    }
    if (!wait_for_more(r))
        return APP_OK;
    ssize_t got;
    do
        got = read(r->file, r->buffer + r->end, r->room - r->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return unreadable(r, errno);
    r->ended = got == 0;
    r->end += (size_t)got;
    return APP_OK;
}

/* True if a line, or the end, is there without waiting for it. */
static bool is_ready(const family_rows *r)
{
    struct pollfd f = {.fd = r->file, .events = POLLIN};
    return r->ended || memchr(r->buffer + r->begin, '\n', r->end - r->begin) != NULL || poll(&f, 1, 0) != 0;
}

/* The next line that is not blank; NULL at the end. It is valid until the next call. */
static int next_line(family_rows *r, const char **line, size_t *length)
{
    size_t looked = 0;
    *line = NULL;
    for (;;) {
        const char *start = r->buffer + r->begin;
        const size_t there = r->end - r->begin;
        const char *stop = memchr(start + looked, '\n', there - looked);
        if (stop == NULL && !r->ended) {
            looked = there;
            const int result = fill(r);
            if (result != APP_OK)
                return result;
            continue;
        }
        if (stop == NULL && there == 0)
            return APP_OK;
        *length = stop != NULL ? (size_t)(stop - start) : there;
        r->begin += *length + (stop != NULL);
        r->line++;
        looked = 0;
        if (!plumb_targets_blank(start, *length)) {
            *line = start;
            return APP_OK;
        }
    }
}

static int explain(const family_rows *r, plumb_status status, const plumb_text_error *error)
{
    if (status == PLUMB_ERR_MEMORY)
        return app_fail(r->command, "out of memory");
    if (r->is_given)
        return app_misuse(r->command, "--at %s: %s", r->path, error->message);
    return app_misuse(NULL, "%s:%lld:%lld: %s", app_input_name(r->path), (long long)r->line, (long long)error->column,
                      error->message);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int read_header(family_rows *r, const char *const *names)
{
    const char *line;
    size_t length = 0;
    plumb_text_error error;
    const int result = next_line(r, &line, &length);
    if (result != APP_OK)
        return result;
    if (line == NULL)
        return app_misuse(NULL, "%s:%lld: found no line, expected one that names the parameters",
                          app_input_name(r->path), (long long)r->line + 1);
    const plumb_status status = plumb_targets_header(line, length, names, r->parameters, &r->columns, &error);
    return status == PLUMB_OK ? APP_OK : explain(r, status, &error);
}

/* Reads all rows of a plain file, and goes back to the first one. */
static int check_rows(family_rows *r)
{
    const char *line;
    size_t length = 0;
    plumb_text_error error;
    double *limbs = malloc((size_t)(2 * PLUMB_QD * r->parameters) * sizeof *limbs);
    int result = limbs != NULL ? APP_OK : app_fail(r->command, "out of memory");
    while (result == APP_OK && (result = next_line(r, &line, &length)) == APP_OK && line != NULL) {
        const plumb_status status = plumb_targets_row(&r->columns, line, length, PLUMB_QD, limbs, &error);
        result = status == PLUMB_OK ? APP_OK : explain(r, status, &error);
        r->count++;
    }
    free(limbs);
    if (result == APP_OK && lseek(r->file, 0, SEEK_SET) < 0)
        result = unreadable(r, errno);
    r->begin = r->end = 0;
    r->line = 0;
    r->ended = false;
    if (result == APP_OK)
        result = next_line(r, &line, &length); /* the names */
    return result;
}

static int read_matrix(family_rows *r)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    int result = app_bytes_load(r->command, r->path, file_may_be_matrix, &bytes, &length);
    if (result == APP_OK) {
        const plumb_status status = plumb_matrix_read(bytes, length, PLUMB_QD, &r->matrix, &error);
        r->is_matrix = status == PLUMB_OK;
        r->line = error.line;
        result = status == PLUMB_OK ? APP_OK : explain(r, status, &error);
    }
    free(bytes);
    if (result == APP_OK && r->matrix.view.cols != r->parameters)
        result = app_misuse(r->command, "%s: found %lld columns, expected %lld, one for each parameter", r->path,
                            (long long)r->matrix.view.cols, (long long)r->parameters);
    for (int64_t i = 0; result == APP_OK && i < r->matrix.view.next; i++)
        if (!(r->matrix.view.data[i] - r->matrix.view.data[i] == 0.0)) {
            const int64_t row = i % r->matrix.view.plane % r->matrix.view.col;
            result = app_misuse(r->command, "%s: row %lld: found a number that is not finite, expected finite ones",
                                r->path, (long long)row + 1);
        }
    return result;
}

/* Makes the two lines of one target whose values are given as a=1,b=2. */
static int read_given(family_rows *r, const char *const *names)
{
    const size_t length = strlen(r->path);
    r->room = 2 * length + 4;
    r->buffer = malloc(r->room);
    if (r->buffer == NULL)
        return app_fail(r->command, "out of memory");
    for (int line = 0; line < 2; line++) {
        for (const char *at = r->path, *next; at != NULL; at = next) {
            const char *comma = strchr(at, ','), *end = comma != NULL ? comma : r->path + length;
            const char *equals = memchr(at, '=', (size_t)(end - at));
            next = comma != NULL ? comma + 1 : NULL;
            if (equals == NULL)
                return app_misuse(r->command, "--at %s: found '%.*s', expected NAME=VALUE", r->path, (int)(end - at),
                                  at);
            const char *from = line == 0 ? at : equals + 1, *to = line == 0 ? equals : end;
            memcpy(r->buffer + r->end, from, (size_t)(to - from));
            r->end += (size_t)(to - from);
            r->buffer[r->end++] = next != NULL ? ',' : '\n';
        }
    }
    r->is_given = r->ended = true;
    return read_header(r, names);
}

static int open_file(family_rows *r, const char *const *names)
{
    static const char npy[] = "\x93NUMPY";
    struct stat about;
    r->owned = !app_is_stream(r->path);
    r->file = r->owned ? open(r->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (r->file < 0 && errno == ENOENT && strchr(r->path, '=') != NULL)
        return read_given(r, names);
    r->buffer = malloc(FIRST_ROOM);
    r->room = FIRST_ROOM;
    if (r->buffer == NULL)
        return app_fail(r->command, "out of memory");
    if (r->file < 0 || fstat(r->file, &about) != 0)
        return unreadable(r, errno);
    int result = fill(r);
    if (result != APP_OK)
        return result;
    if (r->owned && r->end >= sizeof npy - 1 && memcmp(r->buffer, npy, sizeof npy - 1) == 0)
        return read_matrix(r);
    result = read_header(r, names);
    return result == APP_OK && r->owned && S_ISREG(about.st_mode) ? check_rows(r) : result;
}

int family_rows_open(const char *command, const char *path, const char *const *names, int64_t parameters,
                     family_rows **rows)
{
    family_rows *r = calloc(1, sizeof *r);
    *rows = r;
    if (r == NULL)
        return app_fail(command, "out of memory");
    r->command = command;
    r->path = path;
    r->parameters = parameters;
    r->group = 1;
    r->file = -1;
    return open_file(r, names);
}

int family_rows_open_map(const char *command, const family_map *map, int64_t parameters, family_rows **rows)
{
    family_rows *r = calloc(1, sizeof *r);
    *rows = r;
    if (r == NULL)
        return app_fail(command, "out of memory");
    *r = (family_rows){.command = command,
                       .path = "--map",
                       .parameters = parameters,
                       .map = map,
                       .group = 1,
                       .count = family_map_count(map),
                       .file = -1};
    return APP_OK;
}

void family_rows_group(family_rows *rows, int64_t group)
{
    rows->group = group > 1 ? group : 1;
}

int64_t family_rows_count(const family_rows *rows)
{
    return rows->is_matrix ? rows->matrix.view.rows : rows->count;
}

void family_rows_close(family_rows *rows)
{
    if (rows == NULL)
        return;
    plumb_targets_free(&rows->columns);
    plumb_matrix_destroy(&rows->matrix);
    if (rows->owned && rows->file >= 0)
        close(rows->file);
    free(rows->buffer);
    free(rows);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static void take_row(family_rows *r, double *limbs)
{
    const plumb_view *v = &r->matrix.view;
    memset(limbs, 0, (size_t)(2 * PLUMB_QD * r->parameters) * sizeof *limbs);
    for (int64_t c = 0; c < (int64_t)v->parts * PLUMB_QD; c++)
        for (int64_t k = 0; k < r->parameters; k++)
            limbs[c * r->parameters + k] = v->data[c * v->plane + k * v->col + r->row];
    r->row++;
}

int family_rows_next(family_rows *rows, int64_t most, double *limbs, int64_t *count)
{
    const int64_t each = 2 * PLUMB_QD * rows->parameters;
    int result = APP_OK;
    *count = 0;
    while (rows->is_matrix && *count < most && rows->row < rows->matrix.view.rows)
        take_row(rows, limbs + (*count)++ * each);
    while (rows->map != NULL && *count < most && rows->row < rows->count)
        family_map_target(rows->map, rows->row++, limbs + (*count)++ * each);
    while (!rows->is_matrix && rows->map == NULL && *count < most &&
           (*count == 0 || *count % rows->group > 0 || is_ready(rows))) {
        const char *line;
        size_t length = 0;
        plumb_text_error error;
        result = next_line(rows, &line, &length);
        if (result != APP_OK || line == NULL)
            break;
        const plumb_status status =
            plumb_targets_row(&rows->columns, line, length, PLUMB_QD, limbs + *count * each, &error);
        result = status == PLUMB_OK ? APP_OK : explain(rows, status, &error);
        if (result != APP_OK)
            break;
        (*count)++;
    }
    return result;
}
