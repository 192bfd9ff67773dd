/* read.c - reads what write.c writes. Errors in the meaning of a value have no position (1:1), but name the value. */
#include "text/json/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "text/components/text.h"
#include "text/cursor.h"
#include "text/file.h"
#include "text/solutions/text.h"

typedef struct reader {
    const text_cursor *cursor;
    plumb_text_error *error;
    plumb_components *made;
    char where[64]; /* the object that is read, for messages */
} reader;

__attribute__((format(printf, 2, 3))) static plumb_status wrong(const reader *r, const char *format, ...)
{
    char line[160];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    return plumb_text_error_at(r->cursor, r->cursor->begin, PLUMB_ERR_PARSE, r->error, "%s%s", r->where, line);
}

static plumb_status no_memory(const reader *r, plumb_status status)
{
    return plumb_text_error_at(r->cursor, r->cursor->begin, status, r->error, "%s", plumb_status_text(status));
}

/* A whole number from least to 2^53. */
static bool read_count(const json_node *object, const char *key, double least, int64_t *value)
{
    const double x = json_member_number(object, key, -1.0);
    if (!(x >= least && x <= 0x1p53) || x != floor(x))
        return false;
    *value = (int64_t)x;
    return true;
}

static bool read_flag(const json_node *object, const char *key, bool *value)
{
    const json_node *node = json_member(object, key);
    if (!node || node->kind != JSON_BOOL)
        return false;
    *value = node->number != 0.0;
    return true;
}

static const json_node *read_array(const json_node *object, const char *key)
{
    const json_node *node = json_member(object, key);
    return node && node->kind == JSON_ARRAY ? node : NULL;
}

/* A text with equations; null, or no such member, is no system. */
static plumb_status read_system(const reader *r, const json_node *object, const char *key, plumb_system **system)
{
    const json_node *node = json_member(object, key);
    plumb_text_error inner = {.line = 0};
    *system = NULL;
    if (!node || node->kind == JSON_NULL)
        return PLUMB_OK;
    if (node->kind != JSON_STRING)
        return wrong(r, "%s: expected equations as a string", key);
    plumb_status status = plumb_system_parse(node->string, strlen(node->string), system, &inner);
    if (status == PLUMB_ERR_MEMORY)
        return no_memory(r, status);
    if (status != PLUMB_OK)
        return wrong(r, "%s: line %lld of the equations: %.90s", key, (long long)inner.line, inner.message);
    if ((*system)->denominators) {
        plumb_system_destroy(*system);
        *system = NULL;
        return wrong(r, "%s: expected polynomials, found denominators", key);
    }
    return PLUMB_OK;
}

static bool same_names(const plumb_system *a, const plumb_system *b)
{
    bool same = a->unknowns == b->unknowns;
    for (int64_t i = 0; i < a->unknowns && same; i++)
        same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

static plumb_status read_points(const reader *r, const json_node *list, plumb_solutions **points)
{
    const plumb_system *s = r->made->system;
    plumb_status status = plumb_solutions_read_list(r->cursor, list, (const char *const *)s->names, s->unknowns,
                                                    PLUMB_QD, points, r->error);
    if (status == PLUMB_ERR_PARSE) {
        char line[sizeof r->error->message];
        memcpy(line, r->error->message, sizeof line);
        return wrong(r, "%.150s", line);
    }
    return status;
}

/* A whole number, or `absent` where there is no such member or it is null. */
static bool read_optional(const json_node *object, const char *key, int64_t absent, int64_t *value)
{
    const json_node *node = json_member(object, key);
    *value = absent;
    return !node || node->kind == JSON_NULL || read_count(object, key, 0.0, value);
}

/* Files of older versions have no certificates. */
static bool read_proof(const json_node *node, plumb_component_dimension *info)
{
    bool proven = false;
    if (!read_optional(node, "certified", 0, &info->certified) ||
        !read_optional(node, "root_count", 0, &info->root_count) ||
        (json_member(node, "degree_proven") && !read_flag(node, "degree_proven", &proven)))
        return false;
    info->proof = proven ? PLUMB_DEGREE_PROVEN : info->certified > 0 ? PLUMB_DEGREE_LOWER_BOUND : PLUMB_DEGREE_UNPROVEN;
    return (info->root_count == 0 || info->certified <= info->root_count) &&
           proven == (info->certified > 0 && info->certified == info->root_count);
}

static plumb_status read_dimension(reader *r, const json_node *node)
{
    plumb_component_dimension info = {.dimension = 0};
    const json_node *paths = json_member(node, "paths"), *incomplete = json_member(node, "incomplete");
    const int64_t n = r->made->system->unknowns;
    bool stopped;
    plumb_system *slice = NULL;
    if (!read_count(node, "dimension", 0.0, &info.dimension) || info.dimension > n)
        return wrong(r, "dimension: expected a whole number, at most that of the unknowns");
    if (r->made->dimensions > 0 && info.dimension >= r->made->dimension[r->made->dimensions - 1].info.dimension)
        return wrong(r, "dimension: expected a smaller one than before");
    if (!read_count(paths, "total", 0.0, &info.paths) || !read_count(paths, "witness", 0.0, &info.witness) ||
        !read_count(paths, "infinite", 0.0, &info.infinite) ||
        !read_count(paths, "not_isolated", 0.0, &info.not_isolated) ||
        !read_count(paths, "extraneous", 0.0, &info.extraneous) ||
        !read_count(paths, "undecided", 0.0, &info.undecided) || !read_count(paths, "failed", 0.0, &info.failed))
        return wrong(r, "paths: expected an object with the counts total, witness, infinite, not_isolated, extraneous, "
                        "undecided and failed");
    if (!read_flag(node, "stopped", &stopped))
        return wrong(r, "stopped: expected true or false");
    if (!incomplete || (incomplete->kind != JSON_NULL && incomplete->kind != JSON_STRING))
        return wrong(r, "incomplete: expected a string or null");
    if (incomplete->kind == JSON_STRING) {
        info.verdict = stopped ? PLUMB_SOLVE_STOPPED : PLUMB_SOLVE_MISSING;
        snprintf(info.line, sizeof info.line, "%.255s", incomplete->string);
    }
    if (!read_proof(node, &info))
        return wrong(
            r, "certified, root_count, degree_proven: expected counts, the first at most the second, and true only if "
               "they are equal");
    plumb_status status = read_system(r, node, "slice", &slice);
    if (status != PLUMB_OK)
        return status;
    const int64_t equations = slice ? slice->equations : 0;
    bool linear = equations == info.dimension && (!slice || same_names(slice, r->made->system));
    for (int64_t e = 0; e < equations && linear; e++)
        linear = plumb_system_degree(slice, e) == 1;
    if (!linear) {
        plumb_system_destroy(slice);
        return wrong(r, "slice: expected as many linear equations in all unknowns as the dimension");
    }
    status = plumb_components_add_dimension(r->made, &info, slice);
    return status == PLUMB_OK ? PLUMB_OK : no_memory(r, status);
}

static plumb_status read_component(reader *r, const json_node *node)
{
    plumb_component info = {.dimension = 0};
    const json_node *points = read_array(node, "points");
    plumb_solutions *list = NULL;
    bool bound, known = false;
    if (!read_count(node, "dimension", 1.0, &info.dimension))
        return wrong(r, "dimension: expected a whole number, at least 1");
    for (int64_t k = 0; k < r->made->dimensions; k++)
        known = known || r->made->dimension[k].info.dimension == info.dimension;
    if (!known)
        return wrong(r, "dimension: expected one of those in \"dimensions\"");
    if (!read_count(node, "degree", 1.0, &info.degree) || !read_count(node, "multiplicity", 1.0, &info.multiplicity))
        return wrong(r, "degree, multiplicity: expected whole numbers, at least 1");
    if (!read_flag(node, "multiplicity_is_bound", &bound))
        return wrong(r, "multiplicity_is_bound: expected true or false");
    info.bound = bound;
    info.state = plumb_component_state_from_name(json_member_string(node, "state", NULL));
    if (info.state < 0)
        return wrong(r, "state: expected \"irreducible\", \"open\" or \"unknown\"");
    info.trace_digits = json_member_number(node, "trace_digits", 0.0);
    if (!read_optional(node, "certified", 0, &info.certified) || info.certified > info.degree)
        return wrong(r, "certified: expected a whole number, at most the degree");
    if (!points)
        return wrong(r, "points: expected a list");
    plumb_status status = read_points(r, points, &list);
    if (status != PLUMB_OK)
        return status;
    if (plumb_solutions_count(list) != info.degree) {
        plumb_solutions_destroy(list);
        return wrong(r, "points: expected as many as the degree");
    }
    status = plumb_components_add(r->made, &info, list);
    return status == PLUMB_OK ? PLUMB_OK : no_memory(r, status);
}

/* The unknowns are named once more, because an unknown need not occur in the equations. */
static bool names_agree(const plumb_system *system, const json_node *unknowns)
{
    int64_t i = 0;
    const json_node *node = unknowns->child;
    for (; node && i < system->unknowns; node = node->next, i++)
        if (node->kind != JSON_STRING || strcmp(node->string, system->names[i]) != 0)
            return false;
    return !node && i == system->unknowns;
}

static plumb_status read_all(reader *r, const json_node *root)
{
    const json_node *unknowns = read_array(root, "unknowns"), *dimensions = read_array(root, "dimensions"),
                    *components = read_array(root, "components"), *isolated = json_member(root, "isolated");
    plumb_system *system = NULL;
    int64_t least;
    if (!unknowns || !dimensions || !components)
        return wrong(r, "expected an object with the lists \"unknowns\", \"dimensions\" and \"components\"");
    if (!read_count(root, "least_dimension", 0.0, &least))
        return wrong(r, "least_dimension: expected a whole number");
    if (isolated && isolated->kind != JSON_ARRAY)
        return wrong(r, "isolated: expected a list");
    plumb_status status = read_system(r, root, "system", &system);
    if (status != PLUMB_OK)
        return status;
    if (!system || !names_agree(system, unknowns))
        status = wrong(r, "system: expected equations in the unknowns of the list");
    if (status == PLUMB_OK) {
        status = plumb_components_make(system, (uint64_t)json_member_number(root, "seed", 0.0), least, &r->made);
        if (status != PLUMB_OK)
            no_memory(r, status);
    }
    plumb_system_destroy(system);
    int64_t k = 0;
    for (const json_node *node = dimensions->child; node && status == PLUMB_OK; node = node->next) {
        snprintf(r->where, sizeof r->where, "dimensions[%lld].", (long long)k++);
        status = read_dimension(r, node);
    }
    k = 0;
    for (const json_node *node = components->child; node && status == PLUMB_OK; node = node->next) {
        snprintf(r->where, sizeof r->where, "components[%lld].", (long long)k++);
        status = read_component(r, node);
    }
    snprintf(r->where, sizeof r->where, "isolated: ");
    if (status == PLUMB_OK && isolated)
        status = read_points(r, isolated, &r->made->isolated);
    return status;
}

static plumb_status read_text(const char *text, size_t length, plumb_components **components, plumb_text_error *error)
{
    const text_cursor cursor = text_begin(text, length);
    reader r = {.cursor = &cursor, .error = error};
    json_node *root = NULL;
    text_cursor start = cursor;
    text_skip_space(&start);
    if (text_is_digit(text_peek(&start, 0))) /* the number of equations */
        return plumb_components_read_phc(&cursor, components, error);
    plumb_status status = json_read(cursor.begin, (size_t)(cursor.end - cursor.begin), &root, error);
    if (status == PLUMB_OK)
        status = read_all(&r, root);
    json_free(root);
    if (status == PLUMB_OK)
        *components = r.made;
    else
        plumb_components_destroy(r.made);
    return status;
}

plumb_status plumb_components_read(const char *text, size_t length, plumb_components **components,
                                   plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    error = error ? error : &mine;
    if (components)
        *components = NULL;
    if (!components || (!text && length > 0))
        return plumb_text_tell(plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message,
                                         "text and components must not be NULL"),
                               error);
    return plumb_text_tell(read_text(text ? text : "", length, components, error), error);
}

plumb_status plumb_components_read_file(const char *path, plumb_components **components, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    char *bytes = NULL;
    size_t length = 0;
    error = error ? error : &mine;
    if (!components)
        return plumb_text_tell(
            plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "components is NULL"), error);
    *components = NULL;
    plumb_status status = plumb_file_load(path, file_may_be_text, &bytes, &length, error);
    if (status == PLUMB_OK)
        status = read_text(bytes, length, components, error);
    free(bytes);
    return plumb_text_tell(status, error);
}
