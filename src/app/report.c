/* report.c - see report.h. */
#include "app/report.h"

/* The shortest decimal of four limbs anywhere in the range of a double has some 1,100 digits at most. */
enum { NUMBER_ROOM = 4096 };

json_writer app_report_begin(FILE *out, const char *command)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    json_string(&w, "schema", JSON_SCHEMA);
    json_string(&w, "command", command);
    json_string(&w, "version", plumb_version());
    return w;
}

void app_report_end(json_writer *w)
{
    json_close_object(w);
    json_end(w);
}

void app_report_unknowns(json_writer *w, const plumb_system *system)
{
    json_open_array(w, "unknowns");
    for (int64_t i = 0; i < plumb_system_unknowns(system); i++)
        json_string(w, NULL, plumb_system_name(system, i));
    json_close_array(w);
}

void app_report_backend(json_writer *w, int32_t backend)
{
    json_string(w, "backend", backend == PLUMB_BACKEND_GPU ? "gpu" : "cpu");
}

bool app_report_real(json_writer *w, const char *key, int32_t prec, const double *limbs)
{
    char text[NUMBER_ROOM];
    bool good = plumb_number_write(prec, limbs, 0, text, sizeof text, NULL) == PLUMB_OK;
    json_string(w, key, good ? text : NULL);
    return good;
}

bool app_report_number(json_writer *w, const char *key, int32_t prec, const double *re, const double *im)
{
    const double zeros[PLUMB_QD] = {0};
    json_open_array(w, key);
    bool good = app_report_real(w, NULL, prec, re);
    good &= app_report_real(w, NULL, prec, im != NULL ? im : zeros);
    json_close_array(w);
    return good;
}

void app_entry(const plumb_view *view, int64_t problem, int64_t row, int64_t col, int32_t part, double limbs[PLUMB_QD])
{
    const double *from = view->data + problem * view->next + col * view->col + row;
    for (int32_t c = 0; c < view->prec; c++)
        limbs[c] = part < view->parts ? from[(part * view->prec + c) * view->plane] : 0;
}

bool app_report_column(json_writer *w, const char *key, const plumb_view *view, int64_t problem, int64_t col)
{
    bool good = true;
    json_open_array(w, key);
    for (int64_t i = 0; i < view->rows; i++) {
        double re[PLUMB_QD], im[PLUMB_QD];
        app_entry(view, problem, i, col, 0, re);
        app_entry(view, problem, i, col, 1, im);
        good &= app_report_number(w, NULL, view->prec, re, im);
    }
    json_close_array(w);
    return good;
}
