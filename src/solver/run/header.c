/* header.c - see header.h. */
#include "solver/run/header.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "solver/ranks/ranks.h"
#include "solver/run/line.h"

enum { VALUE_ROOM = 96, MOST_FIELDS = 32 };

typedef struct header_field {
    const char *name;
    char value[VALUE_ROOM];
    bool is_hash;
} header_field;

struct run_fields {
    header_field field[MOST_FIELDS];
    int count;
    bool good;
};

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
        *hash = run_line_hash(*hash, plumb_system_name(system, i), strlen(plumb_system_name(system, i)) + 1);
    *hash = good ? run_line_hash(*hash, text, needed) : 0;
    free(text);
    return good;
}

void run_field_text(run_fields *h, const char *name, const char *format, ...)
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

void run_field_hash(run_fields *h, const char *name, uint64_t hash)
{
    run_field_text(h, name, "%016llx", (unsigned long long)hash);
    h->field[h->count - 1].is_hash = true;
}

void run_field_real(run_fields *h, const char *name, double value)
{
    run_field_text(h, name, "%s", "");
    if (plumb_number_write(PLUMB_D, &value, 0, h->field[h->count - 1].value, VALUE_ROOM, NULL) != PLUMB_OK)
        h->good = false;
}

void run_field_flag(run_fields *h, const char *name, bool value)
{
    run_field_text(h, name, "%s", value ? "yes" : "no");
}

void run_field_system(run_fields *h, const char *name, const plumb_system *system)
{
    uint64_t hash = 0;
    h->good = hash_system(system, &hash) && h->good;
    run_field_hash(h, name, hash);
}

static void collect(const run_job *job, run_fields *h)
{
    const plumb_track_options *o = &job->options;
    *h = (run_fields){.good = true};
    run_field_text(h, "plumb", "%s", plumb_version());
    run_field_system(h, "the system", job->target);
    const bool on_gpu = run_is_on_gpu(job);
    run_field_text(h, "--backend", "%s", on_gpu ? "gpu" : "cpu");
    plumb_device_info gpu;
    if (on_gpu && plumb_device_query(ranks_device(PLUMB_BACKEND_GPU), &gpu) == PLUMB_OK)
        run_field_text(h, "the GPU", "compute capability %d.%d", (int)gpu.capability_major, (int)gpu.capability_minor);
    run_field_text(h, "--precision", "%s", o->prec != 0 ? plumb_prec_name(o->prec) : "auto");
    run_field_text(h, "--seed", "%llu", (unsigned long long)o->seed);
    job->describe(job, h);
    run_field_text(h, "--max-steps", "%lld", (long long)o->max_steps);
    run_field_text(h, "--reruns", "%d", (int)job->reruns);
    run_field_real(h, "--largest", o->largest);
    run_field_text(h, "--paths", "%lld-%lld", (long long)job->first + 1, (long long)job->first + (long long)job->count);
}

size_t run_header_magic(const char *command, char magic[HEADER_MAGIC_ROOM])
{
    return (size_t)snprintf(magic, HEADER_MAGIC_ROOM, "{\"journal\": \"plumb %s\"", command);
}

/* ---- Writing and comparing ------------------------------------------------------------------------------------------ */

int run_header_make(const run_job *job, run_header *header)
{
    run_fields h;
    run_line_writer line;
    collect(job, &h);
    bool good = run_line_begin(&line) && h.good;
    if (good) {
        char name[HEADER_MAGIC_ROOM];
        snprintf(name, sizeof name, "plumb %s", job->voice->command);
        json_string(&line.json, "journal", name);
        for (int i = 0; i < h.count; i++)
            json_string(&line.json, h.field[i].name, h.field[i].value);
    }
    good = run_line_end(&line, LINE_SEED, &header->check) && good;
    header->line = line.text;
    header->length = line.length;
    return good ? RUN_OK : run_no_memory(job->voice);
}

static const header_field *find(const run_fields *h, const char *name)
{
    for (int i = 0; i < h->count; i++)
        if (strcmp(h->field[i].name, name) == 0)
            return &h->field[i];
    return NULL;
}

static int compare_field(const run_voice *given, const header_field *f, const char *path, const char *was, bool is_part)
{
    const char *verb = is_part ? "merge" : "resume";
    const run_voice merge = {given->host, "merge", given->data}, *voice = is_part ? &merge : given;
    if (was == NULL)
        return run_misread(voice, "%s:1: found no '%s', expected the journal of a run of this version", path, f->name);
    if (strcmp(was, f->value) == 0)
        return RUN_OK;
    if (f->is_hash)
        return run_misuse(voice, "cannot %s: %s differs from what it was for %s", verb, f->name, path);
    return run_misuse(voice, "cannot %s: %s is %s, for %s it was %s", verb, f->name, f->value, path, was);
}

int run_header_compare(const run_job *job, const char *path, const char *line, size_t length, bool is_part)
{
    run_fields h;
    json_node *root = NULL;
    int result = RUN_OK;
    collect(job, &h);
    if (!h.good)
        return run_no_memory(job->voice);
    if (json_read(line, length, &root, NULL) != PLUMB_OK)
        return run_misread(job->voice, "%s:1: expected the first line of a journal of plumb %s", path,
                           job->voice->command);
    for (int i = 0; i < h.count && result == RUN_OK; i++)
        if (!is_part || strcmp(h.field[i].name, "--paths") != 0)
            result =
                compare_field(job->voice, &h.field[i], path, json_member_string(root, h.field[i].name, NULL), is_part);
    for (const json_node *m = root->child; m != NULL && result == RUN_OK; m = m->next)
        if (strcmp(m->key, "journal") != 0 && strcmp(m->key, LINE_CHECK) != 0 && find(&h, m->key) == NULL)
            result = run_misread(job->voice, "%s:1: found the unknown key '%s'", path, m->key);
    json_free(root);
    return result;
}
