/* models.c - see models.h. */
#include "app/models.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "text/cursor.h"
#include "text/escape.h"
#include "text/solutions/text.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

static int explain(const char *command, const char *path, plumb_status status, const plumb_text_error *error)
{
    const char *name = app_input_name(path);
    if (status == PLUMB_OK)
        return APP_OK;
    if (status == PLUMB_ERR_MEMORY)
        return app_fail(command, "%s: out of memory", name);
    return app_misuse(NULL, "%s:%lld:%lld: %s", name, (long long)error->line, (long long)error->column, error->message);
}

static void show_notes(const char *command, const char *path, const plumb_system *system)
{
    const char *note;
    for (int64_t k = 0; (note = plumb_system_note(system, k)) != NULL; k++)
        app_note(command, "note: %s: %s", app_input_name(path), note);
}

/* Reads a file, which parse makes an object of. */
typedef plumb_status model_parser(const char *text, size_t length, int32_t prec, void *object, plumb_text_error *error);

static int load(const char *command, const char *path, model_parser *parse, int32_t prec, void *object)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    int result = app_bytes_load(command, path, file_may_be_text, &bytes, &length);
    if (result == APP_OK)
        result = explain(command, path, parse((const char *)bytes, length, prec, object, &error), &error);
    free(bytes);
    return result;
}

static plumb_status parse_system(const char *text, size_t length, int32_t prec, void *object, plumb_text_error *error)
{
    (void)prec;
    return plumb_system_parse(text, length, object, error);
}

static plumb_status parse_solutions(const char *text, size_t length, int32_t prec, void *object,
                                    plumb_text_error *error)
{
    return plumb_solutions_read(text, length, prec, object, error);
}

static plumb_status parse_components(const char *text, size_t length, int32_t prec, void *object,
                                     plumb_text_error *error)
{
    (void)prec;
    return plumb_components_read(text, length, object, error);
}

static plumb_status parse_points(const char *text, size_t length, int32_t prec, void *object, plumb_text_error *error)
{
    (void)prec;
    return plumb_points_read(text, length, object, error);
}

int app_system_load(const char *command, const char *path, plumb_system **system)
{
    *system = NULL;
    const int result = load(command, path, parse_system, 0, system);
    if (result == APP_OK)
        show_notes(command, path, *system);
    return result;
}

int app_system_get(const char *command, const char *path, const app_texts *equations, plumb_system **system)
{
    if (equations->count == 0)
        return app_system_load(command, path, system);
    plumb_text_error error = {.line = 1};
    plumb_status status = plumb_system_parse_equations(equations->text, equations->count, system, &error);
    if (status == PLUMB_ERR_MEMORY)
        return app_fail(command, "-e: out of memory");
    const char *text = equations->text[error.line - 1];
    char word[TEXT_SHORT];
    if (status != PLUMB_OK)
        return app_misuse(command, "-e '%s', column %lld: %s", plumb_text_shorten(text, text + strlen(text), word),
                          (long long)error.column, error.message);
    show_notes(command, NULL, *system);
    return APP_OK;
}

int app_polynomials_check(const char *command, const char *path, const plumb_system *system)
{
    if (plumb_system_denominators(system) == 0)
        return APP_OK;
    return app_misuse(command, "%s: " SYSTEM_HAS_DENOMINATORS, path != NULL ? app_input_name(path) : "-e");
}

int app_polynomials_get(const char *command, const char *path, const app_texts *equations, plumb_system **system)
{
    const int result = app_system_get(command, path, equations, system);
    return result == APP_OK ? app_polynomials_check(command, path, *system) : result;
}

int app_solutions_load(const char *command, const char *path, int32_t prec, plumb_solutions **solutions)
{
    return load(command, path, parse_solutions, prec, solutions);
}

int app_components_load(const char *command, const char *path, plumb_components **components)
{
    return load(command, path, parse_components, 0, components);
}

int app_points_load(const char *command, const char *path, plumb_points **points)
{
    return load(command, path, parse_points, 0, points);
}

/* ---- Systems ------------------------------------------------------------------------------------------------------ */

int app_system_write(const char *command, const plumb_system *system, app_format format, const char *path,
                     app_output *output)
{
    size_t needed = 0;
    char *text = NULL;
    plumb_status status = plumb_system_write(system, (plumb_format)format, NULL, 0, &needed);
    if (status == PLUMB_ERR_BUFFER) {
        text = malloc(needed);
        status = text != NULL ? plumb_system_write(system, (plumb_format)format, text, needed, NULL) : PLUMB_ERR_MEMORY;
    }
    int result = status == PLUMB_OK ? app_output_open(command, output, path)
                                    : app_fail(command, "%s", plumb_status_text(status));
    if (result == APP_OK) {
        fputs(text, output->file); /* the commit finds out whether all of it could be written */
    }
    free(text);
    return result;
}

int app_system_save(const char *command, const plumb_system *system, app_format format, const char *path)
{
    app_output output = {.path = NULL};
    int result = app_system_write(command, system, format, path, &output);
    if (result == APP_OK)
        result = app_output_commit(command, &output);
    app_output_discard(&output);
    return result;
}

/* ---- Solutions ---------------------------------------------------------------------------------------------------- */

static void csv_begin(const app_solution_writer *w)
{
    fputs("number,multiplicity,t.re,t.im,error,rcond,residual", w->out);
    if (w->kinds)
        fputs(",kind,real,precision", w->out);
    for (int64_t i = 0; i < plumb_system_unknowns(w->system); i++) {
        static const char *const parts[] = {".re", ".im"};
        for (int part = 0; part < 2; part++) {
            fputc(',', w->out);
            escape_csv(w->out, plumb_system_name(w->system, i));
            fputs(parts[part], w->out);
        }
    }
    fputc('\n', w->out);
}

static plumb_status csv_number(FILE *out, int32_t prec, const double *limbs)
{
    for (int part = 0; part < 2; part++) {
        char *text = NULL;
        plumb_status status = plumb_solutions_decimal(prec, limbs + part * prec, &text);
        if (status != PLUMB_OK)
            return status;
        fprintf(out, ",%s", text);
        free(text);
    }
    return PLUMB_OK;
}

static plumb_status csv_unknown(FILE *out, const plumb_solutions *s, int64_t k, int64_t unknown)
{
    for (int part = 0; part < 2; part++) {
        char *text = NULL;
        plumb_status status = plumb_solutions_number(s, k, unknown, part, &text);
        if (status != PLUMB_OK)
            return status;
        fprintf(out, ",%s", text);
        free(text);
    }
    return PLUMB_OK;
}

static plumb_status csv_one(const app_solution_writer *w, const plumb_solutions *s, int64_t k)
{
    const solution_record *r = &s->record[k];
    fprintf(w->out, "%lld,%lld", (long long)w->written, (long long)r->multiplicity);
    plumb_status status = csv_number(w->out, s->prec, s->t + k * 2 * s->prec);
    fprintf(w->out, ",%.17g,%.17g,%.17g", r->err, r->rco, r->res);
    if (w->kinds)
        fprintf(w->out, ",%s,%s,%s", plumb_solution_kind_name(r->kind), r->real ? "true" : "false",
                plumb_prec_name(r->prec));
    for (int64_t i = 0; i < s->unknowns && status == PLUMB_OK; i++)
        status = csv_unknown(w->out, s, k, i);
    fputc('\n', w->out);
    return status;
}

void app_solution_take(const plumb_solutions *s, int64_t k, plumb_solutions *one, plumb_digits *digits)
{
    const int32_t prec = s->record[k].prec;
    one->prec = prec;
    one->record[0] = s->record[k];
    for (int part = 0; part < 2; part++)
        for (int32_t c = 0; c < prec; c++)
            one->t[part * prec + c] = c < s->prec ? s->t[(k * 2 + part) * s->prec + c] : 0.0;
    if (s->digits) {
        *digits = (plumb_digits){.count = 1,
                                 .unknowns = s->unknowns,
                                 .report = &s->digits->report[k],
                                 .number = digits_number(s->digits, k, 0)};
        one->digits = digits;
    }
    for (int64_t i = 0; i < 2 * s->unknowns; i++)
        memcpy(one->x + i * prec, s->x + (k * 2 * s->unknowns + i) * s->prec, (size_t)prec * sizeof *one->x);
}

void app_solutions_begin(app_solution_writer *w, int64_t count)
{
    w->written = 0;
    if (w->format == PLUMB_FORMAT_CSV)
        csv_begin(w);
    else if (w->format == PLUMB_FORMAT_JSON)
        plumb_solutions_json_begin(&w->json, w->out, plumb_system_unknowns(w->system),
                                   (const char *const *)w->system->names);
    else
        plumb_solutions_phc_begin(w->out, count, plumb_system_unknowns(w->system));
}

plumb_status app_solutions_one(app_solution_writer *w, const plumb_solutions *s, int64_t k, const char *remark)
{
    w->written++;
    return w->format == PLUMB_FORMAT_CSV ? csv_one(w, s, k)
           : w->format == PLUMB_FORMAT_JSON
               ? plumb_solutions_json_one(&w->json, s, k, w->written, w->certificates, w->point++)
               : plumb_solutions_phc_one(w->out, s, k, w->written, remark);
}

plumb_status app_solutions_end(app_solution_writer *w)
{
    if (w->format == PLUMB_FORMAT_PHC)
        return plumb_solutions_phc_end(w->out);
    if (w->format == PLUMB_FORMAT_JSON)
        return plumb_solutions_json_end(&w->json, w->certificates);
    return fflush(w->out) == 0 && !ferror(w->out) ? PLUMB_OK : PLUMB_ERR_IO;
}
