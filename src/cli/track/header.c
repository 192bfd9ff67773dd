/* header.c - see header.h. */
#include "cli/track/header.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "cli/track/line.h"

static const char command[] = "track";

enum { VALUE_ROOM = 96, MOST_FIELDS = 32 };

typedef struct header_field {
    const char *name;
    char value[VALUE_ROOM];
    bool is_hash;
} header_field;

typedef struct field_list {
    header_field field[MOST_FIELDS];
    int count;
    bool good;
} field_list;

/* ---- Collecting ---------------------------------------------------------------------------------------------------- */

/* A hash of the polynomials, independent of the way they were written. */
static bool hash_system(const plumb_system *system, uint64_t *hash)
{
    size_t needed = 0;
    char *text = NULL;
    bool good = plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed) == PLUMB_ERR_BUFFER &&
                (text = malloc(needed)) != NULL &&
                plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) == PLUMB_OK;
    *hash = LINE_SEED;
    for (int64_t i = 0; good && i < plumb_system_unknowns(system); i++) /* in their order */
        *hash = line_hash(*hash, plumb_system_name(system, i), strlen(plumb_system_name(system, i)) + 1);
    *hash = good ? line_hash(*hash, text, needed) : 0;
    free(text);
    return good;
}

static uint64_t hash_solutions(const plumb_solutions *s)
{
    return s == NULL ? 0
                     : line_hash(LINE_SEED, s->x,
                                 (size_t)s->count * (size_t)s->unknowns * 2 * (size_t)s->prec * sizeof *s->x);
}

__attribute__((format(printf, 3, 4))) static void add(field_list *h, const char *name, const char *format, ...)
{
    va_list arguments;
    if (h->count == MOST_FIELDS) {
        h->good = false;
        return;
    }
    va_start(arguments, format);
    header_field *field = &h->field[h->count++];
    *field = (header_field){.name = name};
    vsnprintf(field->value, sizeof field->value, format, arguments);
    va_end(arguments);
}

static void add_hash(field_list *h, const char *name, uint64_t hash)
{
    add(h, name, "%016llx", (unsigned long long)hash);
    h->field[h->count - 1].is_hash = true;
}

static void add_real(field_list *h, const char *name, double value)
{
    add(h, name, "%s", "");
    if (plumb_number_write(PLUMB_D, &value, 0, h->field[h->count - 1].value, VALUE_ROOM, NULL) != PLUMB_OK)
        h->good = false;
}

static void add_flag(field_list *h, const char *name, bool value)
{
    add(h, name, "%s", value ? "yes" : "no");
}

static void collect(const track_job *job, field_list *h)
{
    uint64_t target = 0, start = 0;
    const plumb_track_options *o = &job->options;
    *h = (field_list){.good = hash_system(job->target, &target) && hash_system(job->start, &start)};
    add(h, "plumb", "%s", plumb_version());
    add_hash(h, "the system", target);
    int32_t backend = plumb_context_backend(job->context);
    add(h, "--backend", "%s", backend == PLUMB_BACKEND_GPU ? "gpu" : backend == PLUMB_BACKEND_CPU ? "cpu" : "auto");
    add(h, "--precision", "%s", o->prec != 0 ? plumb_prec_name(o->prec) : "auto");
    add(h, "--seed", "%llu", (unsigned long long)job->words->seed);
    add_hash(h, "--start", start);
    add_hash(h, "--start-solutions", hash_solutions(job->solutions));
    add(h, "--gamma", "%s", job->words->gamma != NULL ? job->words->gamma : "of the seed");
    add_flag(h, "--affine", job->words->affine);
    add_flag(h, "--no-scale", job->words->no_scale);
    add_real(h, "--tol", o->tolerance);
    add(h, "--max-steps", "%lld", (long long)o->most_steps);
    add_real(h, "--turn", o->turn);
    add_flag(h, "--no-endgame", !o->endgame);
    add(h, "--max-winding", "%d", (int)o->most_winding);
    add(h, "--reruns", "%lld", (long long)job->words->reruns);
    add(h, "--paths", "%lld-%lld", (long long)job->first + 1, (long long)job->first + (long long)job->count);
}

/* ---- Writing and comparing ------------------------------------------------------------------------------------------ */

int track_header_make(const track_job *job, track_header *header)
{
    field_list h;
    line_writer line;
    collect(job, &h);
    bool good = line_begin(&line) && h.good;
    if (good) {
        json_string(&line.json, "journal", "plumb track");
        for (int i = 0; i < h.count; i++)
            json_string(&line.json, h.field[i].name, h.field[i].value);
    }
    good = line_end(&line, LINE_SEED, &header->check) && good;
    header->line = line.text;
    header->length = line.length;
    return good ? CLI_OK : cli_fail(command, "out of memory");
}

static const header_field *find(const field_list *h, const char *name)
{
    for (int i = 0; i < h->count; i++)
        if (strcmp(h->field[i].name, name) == 0)
            return &h->field[i];
    return NULL;
}

static int compare_field(const header_field *f, const char *path, const char *was)
{
    if (was == NULL)
        return cli_misuse(NULL, "%s:1: found no '%s', expected the journal of a run of this version", path, f->name);
    if (strcmp(was, f->value) == 0)
        return CLI_OK;
    if (f->is_hash)
        return cli_misuse(command, "cannot resume: %s differs from what it was for %s", f->name, path);
    return cli_misuse(command, "cannot resume: %s is %s, for %s it was %s", f->name, f->value, path, was);
}

int track_header_compare(const track_job *job, const char *path, const char *line, size_t length)
{
    field_list h;
    json_node *root = NULL;
    int result = CLI_OK;
    collect(job, &h);
    if (!h.good)
        return cli_fail(command, "out of memory");
    if (json_read(line, length, &root, NULL) != PLUMB_OK)
        return cli_misuse(NULL, "%s:1: expected the first line of a journal of plumb track", path);
    for (int i = 0; i < h.count && result == CLI_OK; i++)
        result = compare_field(&h.field[i], path, json_member_string(root, h.field[i].name, NULL));
    for (const json_node *m = root->child; m != NULL && result == CLI_OK; m = m->next)
        if (strcmp(m->key, "journal") != 0 && strcmp(m->key, LINE_CHECK) != 0 && find(&h, m->key) == NULL)
            result = cli_misuse(NULL, "%s:1: found the unknown key '%s'", path, m->key);
    json_free(root);
    return result;
}
