/* record.c - path records as members of JSON objects, in the journal and in the path log, and back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report.h"
#include "cli/track/track.h"
#include "text/solutions/text.h"

void track_t_write(json_writer *w, double re, double im)
{
    im = im == 0 ? 0 : im; /* no negative zero */
    app_report_number(w, "t", PLUMB_D, &re, &im);
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

void track_t_read(const json_node *node, double *re, double *im)
{
    const json_node *pair = json_member(node, "t"), *first = pair != NULL ? pair->child : NULL;
    *re = read_t_part(first);
    if (im != NULL)
        *im = read_t_part(first != NULL ? first->next : NULL);
}

void track_record_write(json_writer *w, const plumb_path_record *record)
{
    json_int(w, "path", record->path + 1);
    json_string(w, "code", plumb_path_text((plumb_path_code)record->code));
    json_string(w, "precision", plumb_prec_name(record->prec));
    json_string(w, "most_precision", plumb_prec_name(record->most_prec));
    json_int(w, "winding", record->winding);
    json_int(w, "rerun", record->reruns);
    json_int(w, "steps", record->steps);
    json_int(w, "rejected", record->rejected);
    json_int(w, "solves", record->solves);
    track_t_write(w, record->t, 0);
    json_double(w, "residual", record->residual);
    json_double(w, "error", record->error);
    json_double(w, "condition", record->condition);
    json_double(w, "least_step", record->least_step);
}

static bool read_whole(const json_node *node, const char *key, int64_t *value)
{
    double number = json_member_number(node, key, -1);
    *value = number >= 0 && number <= 0x1p53 ? (int64_t)number : -1;
    return *value >= 0 && (double)*value == number;
}

static bool read_prec(const json_node *node, const char *key, int32_t *prec)
{
    *prec = plumb_prec_from_name(json_member_string(node, key, ""));
    return *prec != 0;
}

/* A number that was not finite was written as null. */
static double read_double(const json_node *node, const char *key)
{
    return json_member_number(node, key, (double)INFINITY);
}

static bool read_code(const json_node *node, int32_t *code)
{
    const char *text = json_member_string(node, "code", "");
    for (*code = 0; *code < PLUMB_PATH_CODES; ++*code)
        if (strcmp(text, plumb_path_text((plumb_path_code)*code)) == 0)
            return true;
    return false;
}

bool track_record_read(const json_node *node, plumb_path_record *record)
{
    int64_t winding, reruns;
    *record = (plumb_path_record){.path = -1};
    bool good = read_whole(node, "path", &record->path) && record->path > 0 && read_code(node, &record->code) &&
                read_prec(node, "precision", &record->prec) && read_prec(node, "most_precision", &record->most_prec) &&
                read_whole(node, "winding", &winding) && read_whole(node, "rerun", &reruns) &&
                read_whole(node, "steps", &record->steps) && read_whole(node, "rejected", &record->rejected) &&
                read_whole(node, "solves", &record->solves) && winding <= INT32_MAX && reruns <= INT32_MAX;
    if (!good)
        return false;
    record->path--;
    record->winding = (int32_t)winding;
    record->reruns = (int32_t)reruns;
    track_t_read(node, &record->t, NULL);
    record->residual = read_double(node, "residual");
    record->error = read_double(node, "error");
    record->condition = read_double(node, "condition");
    record->least_step = read_double(node, "least_step");
    return true;
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

plumb_status track_point_write(json_writer *w, const double *x, int32_t prec, int64_t unknowns, bool exact)
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
