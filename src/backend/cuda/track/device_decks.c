/* device_decks.c - the decks of a run on a GPU: their number of slots, their memory, and their ticks as graphs. See
 * device.h. */
#include "backend/cuda/eval/device.h"
#include "backend/cuda/track/device.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/precision.h"
#include "method/lsq/error.h"

typedef plumb_status (*track_entry)(int32_t what, const track_gpu_job *job, int64_t slots, void *stream, char *message,
                                    size_t message_size);
plumb_status plumb_cuda_track_cplx_d(int32_t, const track_gpu_job *, int64_t, void *, char *, size_t);
plumb_status plumb_cuda_track_cplx_dd(int32_t, const track_gpu_job *, int64_t, void *, char *, size_t);
plumb_status plumb_cuda_track_cplx_qd(int32_t, const track_gpu_job *, int64_t, void *, char *, size_t);

static const track_entry entries[TRACK_DECKS] = {plumb_cuda_track_cplx_d, plumb_cuda_track_cplx_dd,
                                                 plumb_cuda_track_cplx_qd};

/* The number of slots per multiprocessor if there are enough paths: twice the number of warps that decide at once there
 * (track.cu). And the share of the free memory that they may take. */
enum { SLOTS_EACH = 24, MEMORY_SHARE = 2 };

static plumb_status said(const track_run *run, cudaError_t error, const char *what)
{
    return plumb_cuda_status(error, what, run->m->message, run->m->message_size);
}

/* The maximum number of bytes that are kept for the next call. */
static const size_t kept_bytes = (size_t)64 << 20;

/* ---- Memory --------------------------------------------------------------------------------------------------------- */

/* The arrays of a slot in the order in which they are stored; each is stored for all slots. */
enum {
    OF_VECTORS,
    OF_POINTS,
    OF_PARAMETERS,
    OF_MODULI,
    OF_SIZES,
    OF_SCALE,
    OF_VALUES,
    OF_JACOBIANS,
    OF_A,
    OF_B,
    OF_X,
    OF_KEPT,
    OF_INFO,
    OF_PATHS,
    OF_WORDS,
    OF_BEGAN,
    OF_ALL
};

typedef struct deck_layout {
    int64_t doubles[OF_ALL], slot_bytes;
} deck_layout;

static bool times(int64_t a, int64_t b, int64_t c, int64_t *product)
{
    return size_mul(a, b, product) && size_mul(*product, c, product);
}

int64_t plumb_cuda_track_moving(const track_call *call)
{
    return call->moved ? call->moved_count : call->moving ? call->moving->points : 0;
}

int64_t plumb_cuda_track_parameters(const track_call *call)
{
    return call->moved && call->moving ? 2 * call->moving->points : 0;
}

int64_t plumb_cuda_track_width(const track_call *call)
{
    return call->settings->unknowns + 2 * plumb_cuda_track_moving(call);
}

/* Right-hand sides of a linear system. */
enum { SIDES = 3 };

static bool lay_out(const track_call *call, int32_t prec, deck_layout *layout)
{
    const track_settings *s = call->settings;
    const int64_t m = s->equations, n = s->unknowns, planes = 2 * (int64_t)prec;
    int64_t *doubles = layout->doubles, all = 0;
    bool fits = times(planes * TRACK_VECTORS, n, 1, &doubles[OF_VECTORS]) && times(2, m, 1, &doubles[OF_SIZES]) &&
                times(2 * planes, m, 1, &doubles[OF_VALUES]) && times(2 * planes, m, n, &doubles[OF_JACOBIANS]) &&
                times(planes, m, n, &doubles[OF_A]) && times(SIDES * planes, m, 1, &doubles[OF_B]) &&
                times(SIDES * planes, n, 1, &doubles[OF_X]);
    doubles[OF_KEPT] = doubles[OF_X];
    doubles[OF_MODULI] = plumb_cuda_track_width(call);
    fits = fits && times(planes, call->moving ? plumb_cuda_track_width(call) : 0, 1, &doubles[OF_POINTS]) &&
           times(planes, plumb_cuda_track_parameters(call), 1, &doubles[OF_PARAMETERS]);
    doubles[OF_SCALE] = m;
    doubles[OF_INFO] = SIDES;
    doubles[OF_PATHS] = (int64_t)(sizeof(track_path) + 7) / 8;
    doubles[OF_WORDS] = 2; /* entry, wants, left, empty */
    doubles[OF_BEGAN] = 1;
    for (int k = 0; k < OF_ALL && fits; k++)
        fits = size_add(all, doubles[k], &all);
    return fits && size_mul(all, 8, &layout->slot_bytes);
}

plumb_status plumb_cuda_track_memory(const track_run *run, track_memory *memory, int64_t bytes)
{
    if (memory->bytes >= (size_t)bytes)
        return PLUMB_OK;
    if (memory->at && cudaFree(memory->at) != cudaSuccess)
        (void)cudaGetLastError();
    *memory = (track_memory){NULL, 0};
    plumb_status status = said(run, cudaMalloc((void **)&memory->at, (size_t)bytes), "memory for paths on the GPU");
    if (status == PLUMB_OK)
        memory->bytes = (size_t)bytes;
    else
        memory->at = NULL;
    return status;
}

char *plumb_cuda_track_pinned(track_memory *memory, int64_t bytes)
{
    const int64_t most = INT64_C(1) << 25;
    if (bytes > most)
        return NULL;
    if (memory->bytes < (size_t)bytes) {
        if (memory->at && cudaFreeHost(memory->at) != cudaSuccess)
            (void)cudaGetLastError();
        *memory = (track_memory){NULL, 0};
        if (cudaMallocHost((void **)&memory->at, (size_t)bytes) == cudaSuccess)
            memory->bytes = (size_t)bytes;
        else
            memory->at = NULL;
        (void)cudaGetLastError();
    }
    return memory->at;
}

static bool allowed(const track_settings *s, int32_t deck)
{
    const int32_t prec = plumb_precisions[deck].limbs;
    return prec >= s->least_prec && prec <= s->most_prec;
}

/* The ticks of a graph for this many slots. */
static int32_t ticks_of(int64_t slots)
{
    return slots < TRACK_FEW ? TRACK_TICKS_FEW : TRACK_TICKS;
}

/* The number of bytes of programs on the GPU; its increase during a first evaluation is what that evaluation sent. */
static int64_t program_bytes(const machine *m)
{
    int64_t bytes = 0;
    for (const eval_kept *kept = m->eval ? m->eval->kept : NULL; kept; kept = kept->next)
        bytes += (int64_t)kept->bytes;
    return bytes;
}

static void count_programs(track_run *run, int64_t before)
{
    const int64_t after = program_bytes(run->m);
    run->call->to_device += after > before ? after - before : 0;
}

plumb_status plumb_cuda_track_slots(track_run *run)
{
    const track_settings *s = run->call->settings;
    int64_t each = 0;
    for (int32_t d = 0; d < TRACK_DECKS; d++) {
        deck_layout layout;
        if (!allowed(s, d))
            continue;
        if (!lay_out(run->call, plumb_precisions[d].limbs, &layout) ||
            !size_add(each, 2 * layout.slot_bytes, &each)) /* scratch takes as much again */
            return plumb_say(PLUMB_ERR_SIZE, run->m->message, run->m->message_size,
                             "paths of %lld unknowns do not fit in memory", (long long)s->unknowns);
    }
    const int64_t before = program_bytes(run->m);
    const int32_t first = track_deck_of(s->least_prec);
    plumb_cuda_track_choose_followers(run);
    plumb_status status = plumb_cuda_track_prepare(run, first);
    count_programs(run, before);
    if (status != PLUMB_OK)
        return status;
    const int32_t on_each = run->follower[first].follows ? plumb_cuda_track_followed(run, first) : (int32_t)SLOTS_EACH;
    run->slots = (int64_t)on_each * run->m->lsq->limits.multiprocessors;
    if (run->m->hooks.track_slots > 0)
        run->slots = run->m->hooks.track_slots;
    if (run->slots > run->call->count)
        run->slots = run->call->count;
    /* Asking takes time, and is not worth it for little memory: fewer slots are tried if there is not enough. */
    if (each > 0 && run->slots > (int64_t)kept_bytes / each) {
        size_t unused = 0, total = 0;
        status = said(run, cudaMemGetInfo(&unused, &total), "asking for free memory on the GPU");
        const int64_t most = (int64_t)unused / MEMORY_SHARE / each;
        if (run->slots > most)
            run->slots = most > 1 ? most : 1;
    }
    if (run->most_slots > 0 && run->slots > run->most_slots)
        run->slots = run->most_slots;
    run->ticks = ticks_of(run->slots);
    return status;
}

bool plumb_cuda_track_eliminates(const track_run *run, int32_t deck)
{
    const track_settings *s = run->call->settings;
    return s->equations == s->unknowns && s->unknowns <= TRACK_ELIMINATED &&
           plumb_precisions[deck].limbs <= TRACK_ELIMINATED_LIMBS;
}

/* Ticks take least squares, which many warps share; those of families eliminate as the kernel that follows paths does. Elimination by one warp
 * takes less time if there are many paths; with up to 16 unknowns these are followed by one kernel, and more than 24 have not been
 * measured (docs/notes/gpu-evaluation.md). Tests have other ticks eliminate. */
enum { ELIMINATE_FROM = 1000, ELIMINATE_LEAST = 17, ELIMINATE_MOST = 24 };
static bool ticks_eliminate(const track_run *run, int32_t d)
{
    const track_settings *s = run->call->settings;
    const bool is_default = run->call->like >= ELIMINATE_FROM && s->moving == TRACK_FIXED &&
                            s->unknowns >= ELIMINATE_LEAST && s->unknowns <= ELIMINATE_MOST;
    return (is_default || s->moving == TRACK_ARCS || run->m->hooks.track_eliminate) &&
           plumb_cuda_track_eliminates(run, d);
}

/* The batch of a view is set for each call. */
static plumb_view view_of(double *data, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    return (plumb_view){.data = data,
                        .rows = rows,
                        .cols = cols,
                        .plane = rows * cols,
                        .col = rows,
                        .next = prec * parts * rows * cols,
                        .prec = prec,
                        .parts = parts,
                        .where = PLUMB_DEVICE};
}

static void place(track_run *run, track_deck *deck, int64_t slots, int32_t prec, const deck_layout *layout)
{
    const track_settings *s = run->call->settings;
    const int64_t m = s->equations, n = s->unknowns, width = plumb_cuda_track_width(run->call);
    char *next = run->m->track->decks[track_deck_of(prec)].at;
    double *at[OF_ALL];
    for (int k = 0; k < OF_ALL; k++)
        at[k] = plumb_cuda_mgs_take(&next, layout->doubles[k] * slots * 8);
    int32_t *words = (int32_t *)(void *)at[OF_WORDS];
    deck->slots = slots;
    deck->job = run->job;
    deck->job.dependent = lsq_dependent(m, prec);
    deck->job.late = ticks_eliminate(run, track_deck_of(prec));
    deck->job.deck = (track_gpu_deck){.paths = (track_path *)(void *)at[OF_PATHS],
                                      .entry = words,
                                      .wants = words + slots,
                                      .left = words + 2 * slots,
                                      .empty = words + 3 * slots,
                                      .began = (int64_t *)(void *)at[OF_BEGAN],
                                      .vectors = at[OF_VECTORS],
                                      .points = run->call->moving ? at[OF_POINTS] : NULL,
                                      .parameters = run->call->moved ? at[OF_PARAMETERS] : NULL,
                                      .moduli = at[OF_MODULI],
                                      .sizes = at[OF_SIZES],
                                      .scale = at[OF_SCALE],
                                      .values = at[OF_VALUES],
                                      .jacobians = at[OF_JACOBIANS],
                                      .a = at[OF_A],
                                      .b = at[OF_B],
                                      .x = at[OF_X],
                                      .kept = at[OF_KEPT],
                                      .info = (plumb_info *)(void *)at[OF_INFO],
                                      .slots = (int32_t)slots,
                                      .prec = prec};
    deck->points = view_of(at[OF_VECTORS] + TRACK_X * n, prec, PLUMB_COMPLEX, n, 1);
    deck->points.plane = n * TRACK_VECTORS;
    deck->points.next = layout->doubles[OF_VECTORS];
    if (run->call->moving)
        deck->points = view_of(at[OF_POINTS], prec, PLUMB_COMPLEX, width, 1);
    if (run->call->moved) {
        deck->parameters = view_of(at[OF_PARAMETERS], prec, PLUMB_COMPLEX, plumb_cuda_track_parameters(run->call), 1);
        deck->moved = deck->points;
        deck->moved.data += n;
        deck->moved.rows = width - n;
    }
    deck->values = view_of(at[OF_VALUES], prec, PLUMB_COMPLEX, 2 * m, 1);
    deck->jacobians = view_of(at[OF_JACOBIANS], prec, PLUMB_COMPLEX, 2 * m, n);
    deck->moduli = view_of(at[OF_MODULI], PLUMB_D, PLUMB_REAL, width, 1);
    deck->sizes = view_of(at[OF_SIZES], PLUMB_D, PLUMB_REAL, 2 * m, 1);
    deck->a = view_of(at[OF_A], prec, PLUMB_COMPLEX, m, n);
    deck->b = view_of(at[OF_B], prec, PLUMB_COMPLEX, m, SIDES);
    deck->x = view_of(at[OF_X], prec, PLUMB_COMPLEX, n, SIDES);
}

/* ---- Ticks ------------------------------------------------------------------------------------------------------------ */

plumb_status plumb_cuda_track_do(track_run *run, int32_t deck, int32_t what, int64_t slots, void *stream)
{
    return entries[deck](what, &run->deck[deck].job, slots, stream, run->m->message, run->m->message_size);
}

static plumb_status evaluate(track_run *run, const track_deck *deck, int32_t prec, int64_t slots, void *stream)
{
    plumb_view points = deck->points, values = deck->values, jacobians = deck->jacobians;
    points.batch = values.batch = jacobians.batch = slots;
    const eval_call call = {.program = run->call->program,
                            .coefficients = run->call->coefficients[prec],
                            .points = &points,
                            .values = &values,
                            .jacobians = &jacobians};
    return plumb_cuda_eval(run->m, &call, stream);
}

/* The coefficients that are computed from parameters on arcs. */
static plumb_status compute_moved(track_run *run, const track_deck *deck, int32_t prec, int64_t slots, void *stream)
{
    plumb_view parameters = deck->parameters, moved = deck->moved;
    parameters.batch = moved.batch = slots;
    const eval_call call = {.program = run->call->moved,
                            .coefficients = run->call->moved_coefficients[prec],
                            .points = &parameters,
                            .values = &moved};
    return plumb_cuda_eval(run->m, &call, stream);
}

/* Coefficients whose parameters move on arcs, at the trial points. */
static plumb_status move_on_arcs(track_run *run, int32_t d, int64_t slots, void *stream)
{
    plumb_status status = plumb_cuda_track_do(run, d, TRACK_RUN_ARCS, slots, stream);
    if (status == PLUMB_OK && run->call->moved)
        status = compute_moved(run, &run->deck[d], plumb_precisions[d].limbs, slots, stream);
    if (status == PLUMB_OK && run->call->moved)
        status = plumb_cuda_track_do(run, d, TRACK_RUN_MODULI, slots, stream);
    return status;
}

/* The sizes of the terms: the program with the moduli of the coefficients, at the moduli of the unknowns. They are those of the first
 * point of a trial. */
static plumb_status measure(track_run *run, const track_deck *deck, int64_t slots, void *stream)
{
    plumb_view moduli = deck->moduli, sizes = deck->sizes;
    moduli.batch = sizes.batch = slots;
    const eval_call call = {.program = run->call->program,
                            .coefficients = run->call->magnitudes,
                            .points = &moduli,
                            .values = &sizes,
                            .skip = &deck->job.deck.paths->corrector.corrections,
                            .skip_next = sizeof(track_path) / sizeof(int32_t)};
    return plumb_cuda_eval(run->m, &call, stream);
}

/* With one right-hand side x is found along with the columns, by kernels that a path alone can have for each of its sides: in qd all three
 * are there in 45 us for n = 32, where one problem with three sides takes 80. A multiprocessor has one column at most. */
static bool sides_are_apart(const track_run *run)
{
    return run->call->like == 1 &&
           SIDES * (run->call->settings->unknowns + 1) <= (int64_t)run->m->lsq->limits.multiprocessors;
}

/* Makes a problem for each side of the only slot, with the same matrix. */
static void part_sides(plumb_view *a, plumb_view *b, plumb_view *x)
{
    a->batch = b->batch = x->batch = SIDES;
    a->next = 0;
    b->cols = x->cols = 1;
    b->next = b->col;
    x->next = x->col;
}

static plumb_status solve(track_run *run, int32_t d, int64_t slots, void *stream)
{
    const track_deck *deck = &run->deck[d];
    if (ticks_eliminate(run, d))
        return PLUMB_OK; /* by its own kernel, which combines, too */
    plumb_view a = deck->a, b = deck->b, x = deck->x;
    a.batch = b.batch = x.batch = slots;
    if (sides_are_apart(run))
        part_sides(&a, &b, &x);
    const lsq_call call = {.a = &a,
                           .b = &b,
                           .x = &x,
                           .info = deck->job.deck.info,
                           .dependent = lsq_dependent(a.rows, a.prec),
                           .like = run->call->like};
    return plumb_cuda_lsq(run->m, &call, stream);
}

/* All kernels are on one stream, where each starts while the previous one is still running; between two streams it could
 * not. */
static plumb_status tick(track_run *run, int32_t deck, int64_t slots, void *stream)
{
    plumb_status status = PLUMB_OK;
    if (run->call->settings->moving == TRACK_ARCS)
        status = move_on_arcs(run, deck, slots, stream);
    if (status == PLUMB_OK)
        status = measure(run, &run->deck[deck], slots, stream);
    if (status == PLUMB_OK)
        status = evaluate(run, &run->deck[deck], plumb_precisions[deck].limbs, slots, stream);
    if (status == PLUMB_OK)
        status = plumb_cuda_track_do(run, deck, ticks_eliminate(run, deck) ? TRACK_RUN_ELIMINATE : TRACK_RUN_COMBINE,
                                     slots, stream);
    if (status == PLUMB_OK)
        status = solve(run, deck, slots, stream);
    if (status == PLUMB_OK)
        status = plumb_cuda_track_do(run, deck, TRACK_RUN_DECIDE, slots, stream);
    return status;
}

/* Recording must end even after an error, or the stream stays unusable. */
static plumb_status record(track_run *run, int32_t deck, int64_t slots, cudaGraphExec_t *ready)
{
    cudaStream_t stream = run->m->track->stream[deck];
    cudaGraph_t graph = NULL;
    plumb_status status =
        said(run, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording steps of tracking");
    if (status != PLUMB_OK)
        return status;
    for (int k = 0; k < ticks_of(slots) && status == PLUMB_OK; k++)
        status = tick(run, deck, slots, stream);
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (status == PLUMB_OK)
        status = said(run, error, "recording steps of tracking");
    if (status == PLUMB_OK)
        status = said(run, cudaGraphInstantiate(ready, graph, 0), "recording steps of tracking");
    if (graph && cudaGraphDestroy(graph) != cudaSuccess)
        (void)cudaGetLastError();
    return status;
}

static int64_t size_at(const track_run *run, int k)
{
    const int64_t size = run->slots >> k;
    return size > 1 ? size : 1;
}

int32_t plumb_cuda_track_size(const track_run *run, int64_t need)
{
    int k = 0;
    while (k + 1 < TRACK_SIZES && size_at(run, k + 1) >= need)
        k++;
    return (int32_t)size_at(run, k);
}

/* The place of the graph for this many slots. */
static int place_of(const track_run *run, int32_t size)
{
    int k = 0;
    while (k + 1 < TRACK_SIZES && size_at(run, k) > size)
        k++;
    return k;
}

bool plumb_cuda_track_is_direct(const track_run *run, int32_t deck, int32_t size)
{
    return !run->follower[deck].follows && run->rounds <= TRACK_ROUNDS_DIRECT && size < TRACK_FEW &&
           !run->deck[deck].graph[place_of(run, size)];
}

plumb_status plumb_cuda_track_ticks(track_run *run, int32_t deck, int32_t size, void *stream)
{
    cudaGraphExec_t *ready = &run->deck[deck].graph[place_of(run, size)];
    plumb_status status = PLUMB_OK;
    if (run->follower[deck].follows)
        return plumb_cuda_track_follow(run, deck, size, stream);
    if (plumb_cuda_track_is_direct(run, deck, size)) {
        const int64_t before = program_bytes(run->m);
        for (int k = 0; k < ticks_of(size) && status == PLUMB_OK; k++)
            status = tick(run, deck, size, stream);
        count_programs(run, before);
        return status;
    }
    if (!*ready)
        status = record(run, deck, size, ready);
    return status == PLUMB_OK ? said(run, cudaGraphLaunch(*ready, stream), "steps of tracking") : status;
}

/* ---- Decks ------------------------------------------------------------------------------------------------------------ */

/* Everything that evaluation and least squares send and allocate must exist before anything is recorded. Ticks that are launched without a
 * graph see to that themselves. */
static plumb_status warm_up(track_run *run, int32_t d)
{
    const track_deck *deck = &run->deck[d];
    struct device_track *kept = run->m->track;
    const int64_t before = program_bytes(run->m);
    plumb_status status = plumb_cuda_track_prepare(run, d);
    count_programs(run, before);
    if (status == PLUMB_OK && run->follower[d].follows)
        return said(run, cudaStreamSynchronize(kept->stream[d]), "memory for paths on the GPU");
    if (status == PLUMB_OK && run->call->moved)
        status = compute_moved(run, deck, plumb_precisions[d].limbs, deck->slots, kept->stream[d]);
    if (status == PLUMB_OK)
        status = evaluate(run, deck, plumb_precisions[d].limbs, deck->slots, kept->stream[d]);
    if (status == PLUMB_OK)
        status = measure(run, deck, deck->slots, kept->stream[d]);
    count_programs(run, before);
    if (status == PLUMB_OK)
        status = solve(run, d, deck->slots, kept->stream[d]);
    if (status == PLUMB_OK)
        status = said(run, cudaStreamSynchronize(kept->stream[d]), "memory for paths on the GPU");
    return status;
}

/* The paths of a deck that has grown: each array is copied to the beginning of the longer one. */
static plumb_status copy_paths(track_run *run, const track_deck *old, int32_t d)
{
    const track_gpu_deck *from = &old->job.deck, *to = &run->deck[d].job.deck;
    const track_settings *s = run->call->settings;
    const int64_t width = plumb_cuda_track_width(run->call);
    const struct {
        void *to;
        const void *from;
        int64_t bytes;
    } arrays[] = {{to->paths, from->paths, (int64_t)sizeof(track_path)},
                  {to->entry, from->entry, 4},
                  {to->wants, from->wants, 4},
                  {to->left, from->left, 4},
                  {to->kept, from->kept, 48 * from->prec * s->unknowns},
                  {to->began, from->began, 8},
                  {to->vectors, from->vectors, 8 * track_vector_doubles(s->unknowns, from->prec)},
                  {to->points, from->points, run->call->moving ? 16 * from->prec * width : 0},
                  {to->moduli, from->moduli, 8 * width},
                  {to->scale, from->scale, 8 * s->equations}};
    plumb_status status = PLUMB_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && status == PLUMB_OK; k++)
        status = arrays[k].bytes == 0
                     ? PLUMB_OK
                     : said(run,
                            cudaMemcpyAsync(arrays[k].to, arrays[k].from, (size_t)(old->slots * arrays[k].bytes),
                                            cudaMemcpyDeviceToDevice, run->m->track->stream[d]),
                            "moving paths on the GPU");
    return status;
}

static void forget_graph(cudaGraphExec_t graph)
{
    if (graph && cudaGraphExecDestroy(graph) != cudaSuccess)
        (void)cudaGetLastError();
}

static void forget_graphs(track_deck *deck)
{
    for (int k = 0; k < TRACK_SIZES; k++) {
        forget_graph(deck->graph[k]);
        deck->graph[k] = NULL;
    }
}

void plumb_cuda_track_forget(struct device_track *kept)
{
    while (kept->gone_count > 0)
        forget_graph(kept->gone[--kept->gone_count]);
}

/* The number of slots that a deck gets if it needs this many: four times those it has, so that it does not grow often,
 * and at least those that there is memory for from an earlier call. */
static int64_t slots_for(const track_run *run, int32_t d, int64_t need, int64_t slot_bytes)
{
    const int64_t least = 4, kept = (int64_t)run->m->track->decks[d].bytes - (int64_t)OF_ALL * MGS_ALIGNMENT;
    const int64_t offers[] = {least, 4 * run->deck[d].slots, kept > 0 ? kept / slot_bytes : 0};
    for (int k = 0; k < 3; k++)
        need = offers[k] > need ? offers[k] : need;
    return need < run->slots ? need : run->slots;
}

/* Gives the deck its memory; the paths of the old one, if there is one, move there. */
static plumb_status make_deck(track_run *run, int32_t d, int64_t slots, const deck_layout *layout)
{
    track_deck *deck = &run->deck[d], old = *deck;
    track_memory *memory = &run->m->track->decks[d], before = {NULL, 0};
    /* Its first ticks are launched without a graph, and follow on the stream of the run. */
    const bool direct = run->rounds == 0 && run->slots < TRACK_FEW && !run->follower[d].follows;
    cudaStream_t stream = direct ? run->stream : run->m->track->stream[d];
    int64_t bytes;
    if (!size_mul(layout->slot_bytes, slots, &bytes) || !size_add(bytes, (int64_t)OF_ALL * MGS_ALIGNMENT, &bytes))
        return plumb_say(PLUMB_ERR_SIZE, run->m->message, run->m->message_size, "paths do not fit in memory");
    if (old.slots > 0) {
        before = *memory;
        *memory = (track_memory){NULL, 0};
    }
    plumb_status status = plumb_cuda_track_memory(run, memory, bytes);
    if (status == PLUMB_OK) {
        place(run, deck, slots, plumb_precisions[d].limbs, layout);
        status = said(run, cudaMemsetAsync(memory->at, 0, (size_t)bytes, stream), "clearing memory on the GPU");
    }
    if (status == PLUMB_OK)
        status = said(run, cudaMemsetAsync(deck->job.deck.entry, 0xff, (size_t)slots * 4, stream),
                      "clearing memory on the GPU");
    if (status == PLUMB_OK && old.slots > 0)
        status = copy_paths(run, &old, d);
    if (status == PLUMB_OK && !direct)
        status = warm_up(run, d);
    if (before.at && cudaFree(before.at) != cudaSuccess)
        (void)cudaGetLastError();
    return status;
}

plumb_status plumb_cuda_track_deck(track_run *run, int32_t d, int64_t slots)
{
    track_deck *deck = &run->deck[d];
    deck_layout layout;
    if (deck->slots >= slots)
        return PLUMB_OK;
    if (!lay_out(run->call, plumb_precisions[d].limbs, &layout))
        return plumb_say(PLUMB_ERR_SIZE, run->m->message, run->m->message_size, "paths do not fit in memory");
    plumb_status status = PLUMB_OK;
    if (deck->slots > 0) {
        status = said(run, cudaStreamSynchronize(run->stream), "steps of tracking");
        forget_graphs(deck);
    }
    return status == PLUMB_OK ? make_deck(run, d, slots_for(run, d, slots, layout.slot_bytes), &layout) : status;
}

static void let_go(track_memory *memory)
{
    if (memory->bytes <= kept_bytes)
        return;
    if (cudaFree(memory->at) != cudaSuccess)
        (void)cudaGetLastError();
    *memory = (track_memory){NULL, 0};
}

void plumb_cuda_track_free(track_run *run)
{
    struct device_track *kept = run->m->track;
    plumb_cuda_track_forget(kept);
    for (int32_t d = 0; d < TRACK_DECKS; d++) {
        for (int k = 0; k < TRACK_SIZES; k++)
            if (run->deck[d].graph[k])
                kept->gone[kept->gone_count++] = run->deck[d].graph[k];
        let_go(&run->m->track->decks[d]);
    }
    let_go(&run->m->track->shared);
}
