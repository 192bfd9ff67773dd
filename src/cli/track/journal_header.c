/* journal_header.c - see track_journal.h. A member for each thing that decides the bits of the results: options as they would
 * be typed, systems and solutions as hashes of what was read. The number of threads is not among them. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "cli/track/journal.h"

static const char command[] = "track";

enum { VALUE_ROOM = 96, MOST_FIELDS = 24 };

typedef struct header_field {
    const char *name;
    char value[VALUE_ROOM];
    bool is_hash;
} header_field;

typedef struct header {
    header_field field[MOST_FIELDS];
    int count;
    bool good;
} header;

/* FNV-1a: tells files apart that were taken for one another, not forgeries. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ b[i]) * 0x100000001b3;
    return hash;
}

static const uint64_t HASH_START = 0xcbf29ce484222325;

/* Of the polynomials, not of the way they were written. */
static bool hash_system(const plumb_system *system, uint64_t *hash)
{
    size_t needed = 0;
    char *text = NULL;
    bool good = plumb_system_write(system, PLUMB_SYSTEM_PLAIN, NULL, 0, &needed) == PLUMB_ERR_BUFFER &&
                (text = malloc(needed)) != NULL &&
                plumb_system_write(system, PLUMB_SYSTEM_PLAIN, text, needed, NULL) == PLUMB_OK;
    *hash = HASH_START;
    for (int64_t i = 0; good && i < plumb_system_unknowns(system); i++) /* in their order */
        *hash = hash_bytes(*hash, plumb_system_name(system, i), strlen(plumb_system_name(system, i)) + 1);
    *hash = good ? hash_bytes(*hash, text, needed) : 0;
    free(text);
    return good;
}

static uint64_t hash_solutions(const plumb_solutions *s)
{
    return s == NULL ? 0
                     : hash_bytes(HASH_START, s->x,
                                  (size_t)s->count * (size_t)s->unknowns * 2 * (size_t)s->prec * sizeof *s->x);
}

__attribute__((format(printf, 3, 4))) static void add(header *h, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    header_field *field = &h->field[h->count++];
    *field = (header_field){.name = name};
    vsnprintf(field->value, sizeof field->value, format, arguments);
    va_end(arguments);
}

static void add_hash(header *h, const char *name, uint64_t hash)
{
    add(h, name, "%016llx", (unsigned long long)hash);
    h->field[h->count - 1].is_hash = true;
}

static void add_real(header *h, const char *name, double value)
{
    add(h, name, "%s", "");
    if (plumb_number_write(PLUMB_D, &value, 0, h->field[h->count - 1].value, VALUE_ROOM, NULL) != PLUMB_OK)
        h->good = false;
}

static void collect(const track_job *job, header *h)
{
    uint64_t target = 0, start = 0;
    const plumb_track_options *o = &job->options;
    *h = (header){.good = hash_system(job->target, &target) && hash_system(job->start, &start)};
    add(h, "plumb", "%s", plumb_version());
    add_hash(h, "--target", target);
    int32_t backend = plumb_context_backend(job->context);
    add(h, "--backend", "%s", backend == PLUMB_BACKEND_GPU ? "gpu" : backend == PLUMB_BACKEND_CPU ? "cpu" : "auto");
    add(h, "-p", "%s", o->prec != 0 ? plumb_prec_name(o->prec) : "auto");
    add(h, "--seed", "%llu", (unsigned long long)job->words->seed);
    add_hash(h, "--start", start);
    add_hash(h, "--solutions", hash_solutions(job->solutions));
    add(h, "--gamma", "%s", job->words->gamma != NULL ? job->words->gamma : "of the seed");
    add(h, "--affine", "%s", job->words->affine ? "yes" : "no");
    add(h, "--no-scale", "%s", job->words->no_scale ? "yes" : "no");
    add_real(h, "--tol", o->tolerance);
    add(h, "--max-steps", "%lld", (long long)o->most_steps);
    add_real(h, "--turn", o->turn);
    add(h, "--no-endgame", "%s", o->endgame ? "no" : "yes");
    add(h, "--max-winding", "%d", (int)o->most_winding);
    add(h, "--reruns", "%lld", (long long)job->words->reruns);
    add(h, "--paths", "%lld-%lld", (long long)job->first + 1, (long long)job->first + (long long)job->count);
}

int track_header_write(const track_job *job, FILE *file)
{
    header h;
    collect(job, &h);
    json_writer w = json_begin_line(file);
    json_open_object(&w, NULL);
    for (int i = 0; i < h.count; i++)
        json_string(&w, h.field[i].name, h.field[i].value);
    json_close_object(&w);
    json_end(&w);
    if (!h.good)
        return cli_fail(command, "out of memory");
    return ferror(file) ? cli_fail(command, "the journal could not be written") : CLI_OK;
}

static int compare(const header *h, const char *path, const json_node *root)
{
    for (int i = 0; i < h->count; i++) {
        const header_field *f = &h->field[i];
        const char *was = json_member_string(root, f->name, NULL);
        if (was == NULL)
            return cli_misuse(NULL, "%s:1: expected the journal of a run of plumb track", path);
        if (strcmp(was, f->value) == 0)
            continue;
        if (f->is_hash)
            return cli_misuse(command, "cannot resume: %s is not what it was for %s", f->name, path);
        return cli_misuse(command, "cannot resume: %s is %s, for %s it was %s", f->name, f->value, path, was);
    }
    return CLI_OK;
}

int track_header_check(const track_job *job, const char *path, FILE *file)
{
    header h;
    char *line = NULL;
    size_t room = 0;
    json_node *root = NULL;
    collect(job, &h);
    if (!h.good)
        return cli_fail(command, "out of memory");
    ssize_t length = getline(&line, &room, file);
    if (length > 0 && json_read(line, (size_t)length, &root, NULL) != PLUMB_OK)
        root = NULL;
    int result = compare(&h, path, root);
    json_free(root);
    free(line);
    return result;
}
