/* write.c - see text.h. */
#include <stdlib.h>

#include "base/call/message.h"
#include "model/solutions.h"
#include "text/components/text.h"
#include "text/file.h"
#include "text/solutions/text.h"

static plumb_status put_system(json_writer *w, const char *key, const plumb_system *system)
{
    size_t needed = 0;
    if (!system) {
        json_string(w, key, NULL);
        return PLUMB_OK;
    }
    plumb_status status = plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed);
    if (status != PLUMB_ERR_BUFFER)
        return status;
    char *text = malloc(needed);
    status = text ? plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        json_string(w, key, text);
    free(text);
    return status;
}

static plumb_status put_points(json_writer *w, const char *key, const plumb_solutions *s)
{
    plumb_status status = PLUMB_OK;
    json_open_array(w, key);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++)
        status = plumb_solutions_json_one(w, s, k, k + 1, NULL, 0);
    json_close_array(w);
    return status;
}

static plumb_status put_dimension(json_writer *w, const set_dimension *d)
{
    const plumb_component_dimension *i = &d->info;
    json_open_object(w, NULL);
    json_int(w, "dimension", i->dimension);
    json_open_object(w, "paths");
    json_int(w, "total", i->paths);
    json_int(w, "witness", i->witness);
    json_int(w, "infinite", i->infinite);
    json_int(w, "not_isolated", i->not_isolated);
    json_int(w, "extraneous", i->extraneous);
    json_int(w, "undecided", i->undecided);
    json_int(w, "failed", i->failed);
    json_close_object(w);
    json_bool(w, "stopped", i->verdict == PLUMB_SOLVE_STOPPED);
    json_string(w, "incomplete", i->verdict == PLUMB_SOLVE_COMPLETE ? NULL : i->line);
    json_int(w, "certified", i->certified);
    if (i->root_count > 0)
        json_int(w, "root_count", i->root_count);
    else
        json_string(w, "root_count", NULL);
    json_bool(w, "degree_proven", i->proof == PLUMB_DEGREE_PROVEN);
    plumb_status status = put_system(w, "slice", d->slice);
    json_close_object(w);
    return status;
}

static plumb_status put_component(json_writer *w, const set_component *c)
{
    json_open_object(w, NULL);
    json_int(w, "dimension", c->info.dimension);
    json_int(w, "degree", c->info.degree);
    json_int(w, "multiplicity", c->info.multiplicity);
    json_bool(w, "multiplicity_is_bound", c->info.bound);
    json_string(w, "state", plumb_component_state_name(c->info.state));
    json_double(w, "trace_digits", c->info.trace_digits);
    json_int(w, "certified", c->info.certified);
    plumb_status status = put_points(w, "points", c->points);
    json_close_object(w);
    return status;
}

plumb_status plumb_components_json(json_writer *w, const plumb_components *c)
{
    char line[256];
    plumb_components_verdict(c, line, sizeof line);
    json_open_array(w, "unknowns");
    for (int64_t i = 0; i < c->system->unknowns; i++)
        json_string(w, NULL, c->system->names[i]);
    json_close_array(w);
    json_uint(w, "seed", c->seed);
    json_int(w, "least_dimension", c->least);
    json_string(w, "incomplete", line[0] ? line : NULL);
    plumb_status status = put_system(w, "system", c->system);
    json_open_array(w, "dimensions");
    for (int64_t k = 0; k < c->dimensions && status == PLUMB_OK; k++)
        status = put_dimension(w, &c->dimension[k]);
    json_close_array(w);
    json_open_array(w, "components");
    for (int64_t k = 0; k < c->count && status == PLUMB_OK; k++)
        status = put_component(w, &c->list[k]);
    json_close_array(w);
    return status == PLUMB_OK && c->isolated ? put_points(w, "isolated", c->isolated) : status;
}

plumb_status plumb_components_write_json(FILE *out, const plumb_components *components)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    json_string(&w, "schema", JSON_SCHEMA);
    plumb_status status = plumb_components_json(&w, components);
    json_close_object(&w);
    json_end(&w);
    return status == PLUMB_OK && (fflush(out) != 0 || ferror(out)) ? PLUMB_ERR_IO : status;
}

static plumb_status write_file(FILE *out, const void *what)
{
    return plumb_components_write_json(out, what);
}

plumb_status plumb_components_write(const plumb_components *components, char *buffer, size_t size, size_t *needed)
{
    plumb_call_begin();
    return plumb_call_end(components ? plumb_file_to_buffer(write_file, components, 1, buffer, size, needed)
                                     : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "components is NULL"));
}

plumb_status plumb_components_write_file(const plumb_components *components, const char *path)
{
    plumb_call_begin();
    return plumb_call_end(components && path
                              ? plumb_file_save(path, write_file, components)
                              : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "components and path must not be NULL"));
}
