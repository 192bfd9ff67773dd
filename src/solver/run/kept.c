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

typedef struct track_kept_part {
    struct track_kept_part *next;
    int64_t used, room;
    double data[]; /* room and used count bytes of it */
} track_kept_part;

static void *take(track_kept *kept, int64_t bytes)
{
    track_kept_part *part = kept->parts;
    if (part == NULL || part->room - part->used < bytes) {
        const int64_t room = bytes < PART ? PART : bytes;
        if (kept->most == 0) {
            const int64_t share = plumb_memory_available() / 8;
            kept->most = share < MOST ? share + 1 : MOST;
        }
        part = room < kept->most - kept->used ? malloc(sizeof *part + (size_t)room) : NULL;
        if (part == NULL)
            return NULL;
        *part = (track_kept_part){.next = kept->parts, .room = room};
        kept->parts = part;
        kept->used += room;
    }
    void *taken = (char *)part->data + part->used;
    part->used += bytes;
    return taken;
}

const track_kept_end *track_kept_add(track_kept *kept, const plumb_path_record *record, const double *x, int32_t prec,
                                     int64_t unknowns)
{
    const int32_t used = track_used_limbs(x, prec, unknowns);
    track_kept_end *end =
        take(kept, (int64_t)sizeof *end + 2 * unknowns * used * (int64_t)sizeof *x); /* a multiple of 8 */
    if (end == NULL)
        return NULL;
    track_record_copy(record, &end->record);
    end->prec = used;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        for (int32_t c = 0; c < used; c++)
            end->x[k * used + c] = isnan(x[k * prec + c]) ? (double)NAN : x[k * prec + c];
    return end;
}

void track_kept_read(const track_kept_end *end, int64_t unknowns, track_found_path *path)
{
    path->record = end->record;
    path->prec = (int32_t)end->prec;
    memcpy(path->x, end->x, (size_t)(2 * unknowns * end->prec) * sizeof *path->x);
}

void track_kept_free(track_kept *kept)
{
    for (track_kept_part *part = kept->parts, *next; part != NULL; part = next) {
        next = part->next;
        free(part);
    }
    *kept = (track_kept){.used = 0};
}
