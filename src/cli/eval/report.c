/* report.c - what `plumb eval` found, as text and as JSON: numbers in so many digits that they read back. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/eval/eval.h"
#include "text/json/json.h"

/* Enough for the shortest decimal of four limbs anywhere in the range of a double: 1100 digits and a little. */
enum { NUMBER_ROOM = 2400 };

static const double *gather(const plumb_view *view, int64_t point, int64_t row, int64_t col, int32_t part,
                            double limbs[PLUMB_QD])
{
    const double *from = view->data + point * view->next + col * view->col + row;
    for (int32_t c = 0; c < view->prec; c++)
        limbs[c] = from[(part * view->prec + c) * view->plane];
    return limbs;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static bool json_number(json_writer *w, const plumb_view *view, int64_t point, int64_t row, int64_t col)
{
    double limbs[PLUMB_QD];
    char text[NUMBER_ROOM];
    bool good = true;
    json_open_array(w, NULL);
    for (int32_t part = 0; part < 2; part++) {
        plumb_status status =
            plumb_number_write(view->prec, gather(view, point, row, col, part, limbs), 0, text, sizeof text, NULL);
        good &= status == PLUMB_OK;
        json_string(w, NULL, status == PLUMB_OK ? text : NULL);
    }
    json_close_array(w);
    return good;
}

static bool json_column(json_writer *w, const char *key, const plumb_view *view, int64_t point)
{
    bool good = true;
    json_open_array(w, key);
    for (int64_t i = 0; i < view->rows; i++)
        good &= json_number(w, view, point, i, 0);
    json_close_array(w);
    return good;
}

/* The members of one point. */
static bool json_point(json_writer *w, const eval_points *e, int64_t point)
{
    bool good = json_column(w, "point", &e->points, point);
    good &= json_column(w, "values", &e->values, point);
    if (e->jacobians.data == NULL)
        return good;
    json_open_array(w, "jacobian");
    for (int64_t i = 0; i < e->jacobians.rows; i++) {
        json_open_array(w, NULL);
        for (int64_t j = 0; j < e->jacobians.cols; j++)
            good &= json_number(w, &e->jacobians, point, i, j);
        json_close_array(w);
    }
    json_close_array(w);
    return good;
}

bool eval_print_json(const eval_points *e)
{
    bool good = true;
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
    json_string(&w, "precision", plumb_prec_name(e->points.prec));
    json_open_array(&w, "names");
    for (int64_t v = 0; v < plumb_system_unknowns(e->system); v++)
        json_string(&w, NULL, plumb_system_name(e->system, v));
    json_close_array(&w);
    if (!e->many) {
        good = json_point(&w, e, 0);
    } else {
        json_open_array(&w, "points");
        for (int64_t k = 0; k < e->points.batch; k++) {
            json_open_object(&w, NULL);
            good &= json_point(&w, e, k);
            json_close_object(&w);
        }
        json_close_array(&w);
    }
    json_close_object(&w);
    json_end(&w);
    return good;
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static bool print_number(const plumb_view *view, int64_t point, int64_t row, int64_t col)
{
    double re[PLUMB_QD], im[PLUMB_QD];
    char text[2 * NUMBER_ROOM];
    gather(view, point, row, col, 0, re);
    gather(view, point, row, col, 1, im);
    if (plumb_complex_write(view->prec, re, im, 0, text, sizeof text, NULL) != PLUMB_OK)
        return false;
    puts(text);
    return true;
}

bool eval_print_text(const eval_points *e)
{
    bool good = true;
    for (int64_t k = 0; k < e->points.batch; k++) {
        if (e->many)
            printf("%spoint %lld\n", k > 0 ? "\n" : "", (long long)k + 1);
        for (int64_t v = 0; v < e->points.rows; v++) {
            printf("%s = ", plumb_system_name(e->system, v));
            good &= print_number(&e->points, k, v, 0);
        }
        for (int64_t i = 0; i < e->values.rows; i++) {
            printf("f%lld = ", (long long)i + 1);
            good &= print_number(&e->values, k, i, 0);
        }
        for (int64_t i = 0; e->jacobians.data != NULL && i < e->jacobians.rows; i++)
            for (int64_t j = 0; j < e->jacobians.cols; j++) {
                printf("df%lld/d%s = ", (long long)i + 1, plumb_system_name(e->system, j));
                good &= print_number(&e->jacobians, k, i, j);
            }
    }
    return good;
}
