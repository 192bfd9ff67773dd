/* output.c - writes the solutions, each in its own precision, so that it reads back to the same limbs. No times are
 * written: equal runs give equal bytes. */
#include <string.h>

#include "app/app.h"
#include "app/models.h"
#include "cli/solve/solve.h"

static const char command[] = "solve";

/* Solution k becomes the only one of a list in its own precision. */
static void take(const plumb_solutions *s, int64_t k, plumb_solutions *one)
{
    const int32_t prec = s->record[k].prec;
    one->prec = prec;
    one->record[0] = s->record[k];
    memset(one->t, 0, 2 * PLUMB_QD * sizeof *one->t);
    one->t[0] = s->t[k * 2 * s->prec];
    for (int64_t i = 0; i < 2 * s->unknowns; i++)
        memcpy(one->x + i * prec, s->x + (k * 2 * s->unknowns + i) * s->prec, (size_t)prec * sizeof *one->x);
}

/* "regular, real, dd, certified", which readers of the file pass over. */
static void remark(const solution_record *r, const plumb_certificates *certificates, int64_t k, char *text, size_t size)
{
    plumb_certificate c;
    const bool certified =
        certificates && plumb_certificates_get(certificates, k, &c) == PLUMB_OK && c.code == PLUMB_CERTIFIED;
    snprintf(text, size, "%s, %s%s%s", r->kind == PLUMB_SOLUTION_REGULAR ? "regular" : "singular",
             r->real ? "real, " : "", plumb_prec_name(r->prec), certified ? ", certified" : "");
}

static plumb_status write_all(const solve_job *job, FILE *out)
{
    const plumb_solutions *s = job->solutions;
    plumb_solutions *one = NULL;
    plumb_status status =
        plumb_solutions_create(1, s->unknowns, PLUMB_QD, (const char *const *)job->system->names, &one);
    if (status != PLUMB_OK)
        return status;
    cli_solution_writer writer = {.out = out,
                                  .format = job->words->output_format,
                                  .system = job->system,
                                  .kinds = true,
                                  .certificates = job->certificates};
    cli_solutions_begin(&writer, s->count);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK && !ferror(out); k++) {
        char text[64];
        take(s, k, one);
        remark(&one->record[0], job->certificates, k, text, sizeof text);
        status = cli_solutions_one(&writer, one, 0, text);
    }
    plumb_solutions_destroy(one);
    plumb_status end = cli_solutions_end(&writer);
    return status != PLUMB_OK ? status : end;
}

int solve_output(const solve_job *job)
{
    cli_output output;
    const char *path = job->words->output;
    int result = cli_output_open(command, &output, path);
    if (result != CLI_OK || path == NULL)
        return result;
    plumb_status status = write_all(job, output.file);
    if (status == PLUMB_OK)
        return cli_output_commit(command, &output);
    cli_output_discard(&output);
    return cli_fail(command, "%s could not be written: %s", path, plumb_status_text(status));
}
