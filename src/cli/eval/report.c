/* report.c - the values that plumb eval found, as text and as JSON, in as many digits as it takes to read them back. */
#include <stdio.h>
#include <stdlib.h>

#include "app/report.h"
#include "cli/eval/eval.h"

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static bool json_point(json_writer *w, const eval_points *e, int64_t point)
{
    json_open_object(w, NULL);
    bool good = app_report_column(w, "x", &e->points, point, 0);
    good &= app_report_column(w, "values", &e->values, point, 0);
    if (e->jacobians.data != NULL) {
        json_open_array(w, "jacobian"); /* by rows: one list per equation */
        for (int64_t i = 0; i < e->jacobians.rows; i++) {
            json_open_array(w, NULL);
            for (int64_t j = 0; j < e->jacobians.cols; j++) {
                double re[PLUMB_QD], im[PLUMB_QD];
                app_entry(&e->jacobians, point, i, j, 0, re);
                app_entry(&e->jacobians, point, i, j, 1, im);
                good &= app_report_number(w, NULL, e->jacobians.prec, re, im);
            }
            json_close_array(w);
        }
        json_close_array(w);
    }
    json_close_object(w);
    return good;
}

bool eval_print_json(const eval_points *e)
{
    bool good = true;
    json_writer w = app_report_begin(stdout, "eval");
    json_string(&w, "precision", plumb_prec_name(e->points.prec));
    app_report_unknowns(&w, e->system);
    json_open_array(&w, "points");
    for (int64_t k = 0; k < e->points.batch; k++)
        good &= json_point(&w, e, k);
    json_close_array(&w);
    app_report_end(&w);
    return good;
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static bool print_number(const plumb_view *view, int64_t point, int64_t row, int64_t col)
{
    enum { ROOM = 8192 }; /* two numbers of some 1,400 digits at most */
    double re[PLUMB_QD], im[PLUMB_QD];
    char text[ROOM];
    app_entry(view, point, row, col, 0, re);
    app_entry(view, point, row, col, 1, im);
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
