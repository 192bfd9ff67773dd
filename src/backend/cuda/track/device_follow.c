/* device_follow.c - paths that one kernel follows instead of ticks: which decks, what the kernel needs, and its launches. See follow.h. */
#include "backend/cuda/eval/device.h"
#include "backend/cuda/track/device.h"
#include "base/number/precision.h"
#include "method/track/tau.h"

typedef plumb_status (*follow_entry)(const track_follow_job *job, const track_follow_launch *how, void *stream,
                                     char *message, size_t message_size);
plumb_status plumb_cuda_track_follow_cplx_d(const track_follow_job *, const track_follow_launch *, void *, char *,
                                            size_t);
plumb_status plumb_cuda_track_follow_cplx_dd(const track_follow_job *, const track_follow_launch *, void *, char *,
                                             size_t);

static const follow_entry entries[TRACK_DECKS] = {plumb_cuda_track_follow_cplx_d, plumb_cuda_track_follow_cplx_dd,
                                                  NULL};

enum { WARP = 32 };

/* The number of paths of a job from which they are followed, by deck. In dd one warp takes longer for a linear system than the many that share
 * least squares in ticks, so fewer paths are no faster. Paths whose coefficients move at rates are not, either
 * (docs/notes/gpu-evaluation.md). */
static const int64_t follow_from[TRACK_DECKS] = {1, 1000, INT64_MAX};

/* And the largest number of unknowns. */
static const int64_t follow_up_to[TRACK_DECKS] = {16, 16, 0};

/* Families: up to so many paths per multiprocessor are followed in d. Paths to a target are short, so that of twelve there is always one that begins,
 * ends or decides at length, and delays the others six times as long as it takes alone (docs/notes/gpu-evaluation.md): more paths are left to
 * ticks. They eliminate, too, so that bits do not depend on it. */
enum { FOLLOW_ON_ARCS = 4 };

/* Ticks of a launch: enough that paths seldom wait for the end of one, and not so many that a request to stop, or a path that needs another
 * precision, waits for long. They take a few milliseconds. */
static const int32_t ticks_of[TRACK_DECKS] = {64, 32, 16};

/* At least so many paths have to share a multiprocessor. */
enum { FOLLOW_SHARING = 4 };

/* ---- Which decks ------------------------------------------------------------------------------------------------------ */

static bool is_default(const track_run *run, int32_t d)
{
    const track_call *call = run->call;
    if (call->settings->unknowns > follow_up_to[d] || call->settings->moving == TRACK_RATES)
        return false;
    if (call->settings->moving == TRACK_ARCS)
        return d == 0 && call->count <= FOLLOW_ON_ARCS * (int64_t)run->m->lsq->limits.multiprocessors;
    return call->like >= follow_from[d];
}

void plumb_cuda_track_choose_followers(track_run *run)
{
    const int32_t wanted = run->m->hooks.track_follow;
    for (int32_t d = 0; d < TRACK_DECKS; d++) {
        run->follower[d] = (track_follower){.follows = false};
        if (wanted >= 0 && (wanted > 0 || is_default(run, d)))
            run->follower[d] = (track_follower){.follows = entries[d] && plumb_cuda_track_eliminates(run, d),
                                                .warps = d == 0 ? FOLLOW_ROOM_D : FOLLOW_ROOM_DD};
    }
}

/* ---- What the kernel needs --------------------------------------------------------------------------------------------- */

static plumb_status send(track_run *run, const struct eval_program *program, int32_t prec, int32_t parts,
                         const double *coefficients, bool derivatives, const eval_kept **kept)
{
    plumb_view points = {.prec = prec, .parts = parts}, jacobians = points;
    const eval_call call = {.program = program,
                            .coefficients = coefficients,
                            .points = &points,
                            .jacobians = derivatives ? &jacobians : NULL};
    return plumb_cuda_eval_program(run->m, &call, EVAL_WHOLE, run->stream, kept);
}

/* Doubles of each array of a path, and those that the first ones share with the board. */
static int64_t lay_out(const track_run *run, int32_t d, track_follow_job *job)
{
    const track_settings *s = run->call->settings;
    const int64_t m = s->equations, n = s->unknowns, planes = 2 * (int64_t)plumb_precisions[d].limbs,
                  width = plumb_cuda_track_width(run->call);
    const int64_t system = planes * job->system.slots, sizes = job->magnitudes.slots, moved = planes * job->moved.slots,
                  larger = system > sizes ? system : sizes,
                  board = (int64_t)((sizeof(track_board) + sizeof(double) - 1) / sizeof(double));
    const int64_t doubles[FOLLOW_END] = {[FOLLOW_NUMBERS] = larger > moved ? larger : moved,
                                         [FOLLOW_JACOBIANS] = 2 * planes * m * n,
                                         [FOLLOW_VALUES] = 2 * planes * m,
                                         [FOLLOW_ROWS] = TRACK_ELIMINATE_DOUBLES(n, planes / 2),
                                         [FOLLOW_ROOM] = FOLLOW_ROOM_DOUBLES,
                                         [FOLLOW_VECTORS] = track_vector_doubles(n, plumb_precisions[d].limbs),
                                         [FOLLOW_X] = 3 * planes * n,
                                         [FOLLOW_SCALE] = m,
                                         [FOLLOW_SIZES] = 2 * m,
                                         [FOLLOW_DIRECTIONS] = 2 * m,
                                         [FOLLOW_MODULI] = width,
                                         [FOLLOW_POINT] = run->call->moving ? planes * width : 0,
                                         [FOLLOW_PARAMETERS] = planes * plumb_cuda_track_parameters(run->call)};
    int64_t at = 0;
    for (int k = 0; k < FOLLOW_END; k++) {
        if (k == FOLLOW_ROOM) {
            at = at > board ? at : board;
            at += at % 2;
        }
        job->at[k] = (int32_t)at;
        at += doubles[k] + doubles[k] % 2;
    }
    return at;
}

/* Paths of a block, which has a multiprocessor for itself. */
static int32_t followed(const track_run *run, int32_t d)
{
    const int64_t doubles = run->m->lsq->limits.shared / (int64_t)sizeof(double),
                  fit = (doubles - FOLLOW_GROUP_DOUBLES) / run->deck[d].follow.share, most = run->follower[d].warps;
    return (int32_t)(fit < most ? fit : most);
}

plumb_status plumb_cuda_track_prepare(track_run *run, int32_t d)
{
    const int32_t prec = plumb_precisions[d].limbs;
    track_deck *deck = &run->deck[d];
    const track_call *call = run->call;
    const eval_kept *system = NULL, *magnitudes = NULL, *moved = NULL;
    if (!run->follower[d].follows || deck->follow.share > 0)
        return PLUMB_OK;
    plumb_status status = send(run, call->program, prec, PLUMB_COMPLEX, call->coefficients[prec], true, &system);
    if (status == PLUMB_OK)
        status = send(run, call->program, PLUMB_D, PLUMB_REAL, call->magnitudes, false, &magnitudes);
    if (status == PLUMB_OK && call->moved)
        status = send(run, call->moved, prec, PLUMB_COMPLEX, call->moved_coefficients[prec], false, &moved);
    if (status != PLUMB_OK)
        return status;
    deck->follow = (track_follow_job){.system = system->at, .magnitudes = magnitudes->at};
    if (moved)
        deck->follow.moved = moved->at;
    deck->follow.share = (int32_t)lay_out(run, d, &deck->follow);
    run->follower[d].follows = followed(run, d) >= FOLLOW_SHARING;
    return PLUMB_OK;
}

int32_t plumb_cuda_track_followed(const track_run *run, int32_t d)
{
    return followed(run, d);
}

/* ---- Launches ----------------------------------------------------------------------------------------------------------- */

plumb_status plumb_cuda_track_follow(track_run *run, int32_t d, int32_t size, void *stream)
{
    track_follow_job *job = &run->deck[d].follow;
    const int32_t multiprocessors = run->m->lsq->limits.multiprocessors, most = followed(run, d),
                  each = (size + multiprocessors - 1) / multiprocessors;
    job->job = run->deck[d].job;
    job->slots = size;
    job->clocks = run->m->hooks.track_clocks;
    job->paths = each < most ? each : most;
    job->ticks = run->m->hooks.track_follow > 0 ? run->m->hooks.track_follow : ticks_of[d];
    if (run->call->step && job->ticks > run->ticks) /* there is room for these steps */
        job->ticks = run->ticks;
    /* With few paths, several warps share the steps that they can share. */
    for (job->warps = FOLLOW_WARPS; job->warps > 1 && job->warps * job->paths > run->follower[d].warps;)
        job->warps /= 2;
    const track_follow_launch how = {.blocks = (size + job->paths - 1) / job->paths,
                                     .threads = job->paths * job->warps * WARP,
                                     .shared = ((size_t)job->paths * (size_t)job->share + FOLLOW_GROUP_DOUBLES) *
                                               sizeof(double),
                                     .most = (size_t)run->m->lsq->limits.shared};
    return entries[d](job, &how, stream, run->m->message, run->m->message_size);
}
