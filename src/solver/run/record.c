/* record.c - path records as members of JSON objects, in the journal and in the path log, and back. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "solver/run/run.h"
#include "text/solutions/text.h"

void run_t_write(json_writer *w, double re, double im)
{
    const double parts[2] = {re, im == 0 ? 0 : im}; /* no negative zero */
    char text[64];
    json_open_array(w, "t");
    for (int k = 0; k < 2; k++)
        json_string(w, NULL,
                    plumb_number_write(PLUMB_D, &parts[k], 0, text, sizeof text, NULL) == PLUMB_OK ? text : NULL);
    json_close_array(w);
}

/* One part of t, a string; infinite when it was not finite and so written as null. */
static double read_t_part(const json_node *node)
{
    double value = (double)INFINITY;
    if (node != NULL && node->kind == JSON_STRING &&
        plumb_number_read(node->string, strlen(node->string), PLUMB_D, &value, NULL, NULL) != PLUMB_OK)
        value = (double)INFINITY;
    return value;
}

void run_t_read(const json_node *node, double *re, double *im)
{
    const json_node *pair = json_member(node, "t"), *first = pair != NULL ? pair->child : NULL;
    *re = read_t_part(first);
    if (im != NULL)
        *im = read_t_part(first != NULL ? first->next : NULL);
}

/* ---- Records ------------------------------------------------------------------------------------------------------- */

/* The members of a record, in their order: a new one is one line here. In JSON a path counts from 1, codes and precisions are
 * their names, and numbers that are not finite are null, which reads back as infinite. */
typedef enum record_kind { FROM_1, WHOLE_32, WHOLE_64, CODE, PRECISION, PRECISION_OR_NONE, REAL, REAL_T } record_kind;

typedef struct record_field {
    const char *key;
    record_kind kind;
    size_t offset;
} record_field;

#define FIELD(key, kind, member)                       \
    {                                                  \
        key, kind, offsetof(plumb_path_record, member) \
    }
static const record_field fields[] = {
    FIELD("path", FROM_1, path),
    FIELD("code", CODE, code),
    FIELD("precision", PRECISION, prec),
    FIELD("most_precision", PRECISION, max_prec),
    FIELD("winding", WHOLE_32, winding),
    FIELD("rerun", WHOLE_32, reruns),
    FIELD("steps", WHOLE_64, steps),
    FIELD("rejected", WHOLE_64, rejected),
    FIELD("solves", WHOLE_64, solves),
    FIELD("t", REAL_T, t),
    FIELD("residual", REAL, residual),
    FIELD("error", REAL, error),
    FIELD("condition", REAL, condition),
    FIELD("least_step", REAL, min_step),
    FIELD("component_error", REAL, component_error),
    FIELD("checked_in", PRECISION_OR_NONE, checked),
};
#undef FIELD
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void write_field(json_writer *w, const record_field *f, const void *member)
{
    switch (f->kind) {
    case FROM_1:
        json_int(w, f->key, *(const int64_t *)member + 1);
        break;
    case WHOLE_32:
        json_int(w, f->key, *(const int32_t *)member);
        break;
    case WHOLE_64:
        json_int(w, f->key, *(const int64_t *)member);
        break;
    case CODE:
        json_string(w, f->key, plumb_path_text((plumb_path_code) * (const int32_t *)member));
        break;
    case PRECISION:
    case PRECISION_OR_NONE:
        json_string(w, f->key, plumb_prec_name(*(const int32_t *)member));
        break;
    case REAL:
        json_double(w, f->key, *(const double *)member);
        break;
    case REAL_T:
        run_t_write(w, *(const double *)member, 0);
        break;
    }
}

void run_record_write(json_writer *w, const plumb_path_record *record)
{
    for (int i = 0; i < FIELDS; i++)
        write_field(w, &fields[i], (const char *)record + fields[i].offset);
}

static bool read_whole(const json_node *node, int64_t least, int64_t most, int64_t *value)
{
    bool good = node->kind == JSON_NUMBER && node->number >= (double)least && node->number <= (double)most;
    *value = good ? (int64_t)node->number : -1;
    return good && (double)*value == node->number;
}

static bool read_code(const json_node *node, int32_t *code)
{
    *code = node->kind == JSON_STRING ? plumb_path_from_name(node->string) : -1;
    return *code >= 0;
}

static bool read_field(const json_node *record, const json_node *node, record_kind kind, void *member)
{
    int64_t whole = 0;
    bool good = true;
    switch (kind) {
    case FROM_1:
        good = read_whole(node, 1, (int64_t)1 << 53, &whole);
        *(int64_t *)member = whole - 1;
        break;
    case WHOLE_32:
        good = read_whole(node, 0, INT32_MAX, &whole);
        *(int32_t *)member = (int32_t)whole;
        break;
    case WHOLE_64:
        good = read_whole(node, 0, (int64_t)1 << 53, member);
        break;
    case CODE:
        good = read_code(node, member);
        break;
    case PRECISION:
        *(int32_t *)member = node->kind == JSON_STRING ? plumb_prec_from_name(node->string) : 0;
        good = *(int32_t *)member != 0;
        break;
    case PRECISION_OR_NONE:
        *(int32_t *)member = node->kind == JSON_STRING ? plumb_prec_from_name(node->string) : 0;
        good = node->kind == JSON_NULL || *(int32_t *)member != 0;
        break;
    case REAL:
        good = node->kind == JSON_NUMBER || node->kind == JSON_NULL;
        *(double *)member = node->kind == JSON_NUMBER ? node->number : (double)INFINITY;
        break;
    case REAL_T:
        good = node->kind == JSON_ARRAY;
        run_t_read(record, member, NULL);
        break;
    }
    return good;
}

const char *run_record_read(const json_node *node, plumb_path_record *record)
{
    *record = (plumb_path_record){.path = -1};
    for (int i = 0; i < FIELDS; i++) {
        const json_node *found = json_member(node, fields[i].key);
        if (found == NULL || !read_field(node, found, fields[i].kind, (char *)record + fields[i].offset))
            return fields[i].key;
    }
    return NULL;
}

void run_record_copy(const plumb_path_record *from, plumb_path_record *to)
{
    *to = (plumb_path_record){.path = -1};
    for (int i = 0; i < FIELDS; i++) {
        const void *member = (const char *)from + fields[i].offset;
        void *copy = (char *)to + fields[i].offset;
        switch (fields[i].kind) {
        case FROM_1:
        case WHOLE_64:
            *(int64_t *)copy = *(const int64_t *)member;
            break;
        case WHOLE_32:
        case CODE:
        case PRECISION:
        case PRECISION_OR_NONE:
            *(int32_t *)copy = *(const int32_t *)member;
            break;
        case REAL:
            *(double *)copy = isfinite(*(const double *)member) ? *(const double *)member : (double)INFINITY;
            break;
        case REAL_T: /* a text, which has infinities */
            *(double *)copy = isnan(*(const double *)member) ? (double)NAN : *(const double *)member;
            break;
        }
    }
}

bool run_record_has(const char *key)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(key, fields[i].key) == 0)
            return true;
    return false;
}

/* One part of a number, as a string: the shortest decimal that reads back, or the limbs bit for bit. */
static plumb_status write_part(json_writer *w, const double *limbs, int32_t prec, bool exact)
{
    char hex[128], *decimal = NULL;
    plumb_status status = exact ? plumb_number_write_hex(prec, limbs, hex, sizeof hex, NULL)
                                : plumb_solutions_decimal(prec, limbs, &decimal);
    if (status == PLUMB_OK)
        json_string(w, NULL, exact ? hex : decimal);
    free(decimal);
    return status;
}

plumb_status run_point_write(json_writer *w, const double *x, int32_t prec, int64_t unknowns, bool exact)
{
    plumb_status status = PLUMB_OK;
    json_open_array(w, "x");
    for (int64_t i = 0; i < unknowns && status == PLUMB_OK; i++) {
        json_open_array(w, NULL);
        for (int part = 0; part < 2 && status == PLUMB_OK; part++)
            status = write_part(w, x + (2 * i + part) * prec, prec, exact);
        json_close_array(w);
    }
    json_close_array(w);
    return status;
}
