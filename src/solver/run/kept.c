/* kept.c - see kept.h. Endpoints lie one after the other in parts, and stay until the end of the run: those of a path that was tracked again,
 * too, because few are. */
#include "solver/run/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "solver/run/run.h"

enum { PART = 4 << 20 }; /* bytes */
static const int64_t MOST = INT64_C(1) << 30;

typedef struct run_kept_part {
    struct run_kept_part *next;
    int64_t used, room;
    double data[]; /* room and used count bytes of it */
} run_kept_part;

static void *take(run_kept *kept, int64_t bytes)
{
    run_kept_part *part = kept->parts;
    if (part == NULL || part->room - part->used < bytes) {
        const int64_t room = bytes < PART ? PART : bytes;
        if (kept->most == 0) {
            const int64_t share = plumb_memory_available() / 8;
            kept->most = share < MOST ? share + 1 : MOST;
        }
        part = room < kept->most - kept->used ? malloc(sizeof *part + (size_t)room) : NULL;
        if (part == NULL)
            return NULL;
        *part = (run_kept_part){.next = kept->parts, .room = room};
        kept->parts = part;
        kept->used += room;
    }
    void *taken = (char *)part->data + part->used;
    part->used += bytes;
    return taken;
}

const run_kept_end *run_kept_add(run_kept *kept, const plumb_path_record *record, const double *x, int32_t prec,
                                 int64_t unknowns)
{
    const int32_t used = run_used_limbs(x, prec, unknowns);
    run_kept_end *end =
        take(kept, (int64_t)sizeof *end + 2 * unknowns * used * (int64_t)sizeof *x); /* a multiple of 8 */
    if (end == NULL)
        return NULL;
    run_record_copy(record, &end->record);
    end->prec = used;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        for (int32_t c = 0; c < used; c++)
            end->x[k * used + c] = isnan(x[k * prec + c]) ? (double)NAN : x[k * prec + c];
    return end;
}

void run_kept_read(const run_kept_end *end, int64_t unknowns, run_found_path *path)
{
    path->record = end->record;
    path->prec = (int32_t)end->prec;
    memcpy(path->x, end->x, (size_t)(2 * unknowns * end->prec) * sizeof *path->x);
}

void run_kept_free(run_kept *kept)
{
    for (run_kept_part *part = kept->parts, *next; part != NULL; part = next) {
        next = part->next;
        free(part);
    }
    *kept = (run_kept){.used = 0};
}
