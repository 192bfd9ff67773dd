/* output.c - writes the solutions, each in its own precision, so that it reads back to the same limbs. No times are
 * written: equal runs give equal bytes. Those of a stream are in memory some at a time. */
#include <stdlib.h>

#include "app/app.h"
#include "app/models.h"
#include "base/os/team.h"
#include "cli/solve/solve.h"
#include "text/memory_file.h"

/* "regular, real, dd, certified", which readers of the file pass over. */
static void remark(const solution_record *r, const plumb_certificates *certificates, int64_t k, char *text, size_t size)
{
    plumb_certificate c;
    const bool certified =
        certificates && plumb_certificates_get(certificates, k, &c) == PLUMB_OK && c.code == PLUMB_CERTIFIED;
    snprintf(text, size, "%s, %s%s%s", plumb_solution_kind_name(r->kind), r->real ? "real, " : "",
             plumb_prec_name(r->prec), certified ? ", certified" : "");
}

/* Writes solutions first .. last - 1 of a list. */
static plumb_status write_some(const solve_job *job, const plumb_solutions *s, app_solution_writer *writer,
                               int64_t first, int64_t last)
{
    plumb_solutions *one = NULL;
    plumb_digits digits;
    plumb_status status =
        plumb_solutions_create(1, s->unknowns, PLUMB_QD, (const char *const *)job->system->names, &one);
    for (int64_t k = first; k < last && status == PLUMB_OK && !ferror(writer->out); k++) {
        char text[64];
        app_solution_take(s, k, one, &digits);
        remark(&one->record[0], job->certificates, k, text, sizeof text);
        status = app_solutions_one(writer, one, 0, text);
    }
    if (one)
        one->digits = NULL;
    plumb_solutions_destroy(one);
    return status;
}

/* ---- Many solutions, by all threads ---------------------------------------------------------------------------------- */

enum { PIECE = 64 }; /* solutions that a thread writes at a time */

/* A round: some pieces per thread, each in memory. */
typedef struct piece_round {
    memory_file *piece;
    int64_t first, count; /* the solution that it begins with, and how many pieces it has */
} piece_round;

typedef struct pieces {
    const solve_job *job;
    const plumb_solutions *list;
    app_solution_writer *writer;
    piece_round now, before; /* the round that is made, and the one that is put into the file meanwhile */
    team_counter next;
    int32_t status;
} pieces;

/* Puts the pieces of a round into the file, in their order, unless something failed. */
static void put(pieces *p, const piece_round *r)
{
    for (int64_t k = 0; k < r->count; k++) {
        if (__atomic_load_n(&p->status, __ATOMIC_RELAXED) == PLUMB_OK)
            fwrite(r->piece[k].text, 1, r->piece[k].length, p->writer->out); /* the end looks for errors */
        free(r->piece[k].text);
    }
    if (file_output_hurry(p->writer->out) != 0)
        __atomic_store_n(&p->status, PLUMB_ERR_IO, __ATOMIC_RELAXED);
}

static void write_pieces(void *data, team *t, int32_t index, int32_t threads)
{
    pieces *p = data;
    const int64_t all = p->list->count;
    (void)t, (void)threads;
    if (index == 0)
        put(p, &p->before);
    for (int64_t k; (k = team_take(&p->next, 1)) < p->now.count;) {
        const int64_t first = p->now.first + k * PIECE, last = first + PIECE < all ? first + PIECE : all;
        memory_file *m = &p->now.piece[k];
        plumb_status status = memory_file_begin(m) ? PLUMB_OK : PLUMB_ERR_MEMORY;
        app_solution_writer writer = *p->writer;
        writer.out = m->file;
        writer.written = p->writer->written + first;
        if (status == PLUMB_OK)
            status = write_some(p->job, p->list, &writer, first, last);
        if (!memory_file_end(m) && status == PLUMB_OK)
            status = PLUMB_ERR_MEMORY;
        if (status != PLUMB_OK)
            __atomic_store_n(&p->status, (int32_t)status, __ATOMIC_RELAXED);
    }
}

static plumb_status write_shared(const solve_job *job, const plumb_solutions *list, app_solution_writer *writer)
{
    const int32_t threads = plumb_context_threads(job->context);
    const int64_t most = 8 * (int64_t)threads, all = list->count;
    pieces p = {.job = job, .list = list, .writer = writer, .status = PLUMB_OK};
    memory_file *room = calloc(2 * (size_t)most, sizeof *room);
    team *writers = NULL;
    plumb_status status = room ? team_start(&writers, threads, NULL, 0) : PLUMB_ERR_MEMORY;
    for (int64_t first = 0; first < all && status == PLUMB_OK; first += most * PIECE) {
        const int64_t left = (all - first + PIECE - 1) / PIECE;
        p.now = (piece_round){
            .piece = p.before.piece == room ? room + most : room, .first = first, .count = left < most ? left : most};
        p.next.next = 0;
        team_run(writers, threads, write_pieces, &p);
        status = (plumb_status)p.status;
        p.before = p.now;
    }
    put(&p, &p.before);
    team_end(writers);
    free(room);
    writer->written += all;
    return status != PLUMB_OK ? status : (plumb_status)p.status;
}

static plumb_status write_list(const solve_job *job, const plumb_solutions *list, app_solution_writer *writer)
{
    /* JSON has commas between its members, which depend on what was written before. */
    const bool shared =
        plumb_context_threads(job->context) > 1 && list->count > 4 * PIECE && writer->format != PLUMB_FORMAT_JSON;
    return shared ? write_shared(job, list, writer) : write_some(job, list, writer, 0, list->count);
}

static plumb_status write_all(const solve_job *job, FILE *out)
{
    app_solution_writer writer = {.out = out,
                                  .format = job->words->output_format,
                                  .system = job->system,
                                  .kinds = true,
                                  .certificates = job->certificates};
    plumb_solutions *more = NULL;
    app_solutions_begin(&writer, job->count);
    plumb_status status = write_list(job, job->solutions, &writer);
    while (status == PLUMB_OK && !ferror(out) && (status = solve_next(job, &more)) == PLUMB_OK && more != NULL) {
        status = write_list(job, more, &writer);
        plumb_solutions_destroy(more);
    }
    plumb_status end = app_solutions_end(&writer);
    return status != PLUMB_OK ? status : end;
}

int solve_output(const solve_job *job)
{
    app_output output;
    const char *path = job->words->output;
    int result = app_output_open(job->words->command, &output, path);
    if (result != APP_OK || path == NULL)
        return result;
    plumb_status status = write_all(job, output.file);
    if (status == PLUMB_OK)
        return app_output_commit(job->words->command, &output);
    app_output_discard(&output);
    return app_fail(job->words->command, "%s could not be written: %s", path, plumb_status_text(status));
}
