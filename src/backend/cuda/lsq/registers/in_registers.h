/* in_registers.h - least squares for a small system with its columns in registers, by the threads of a block or of a cluster; see
 * mgs_registers.cu. Where a problem has a single warp (alone), other warps of the block may do something else: that warp waits for
 * none of them. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_IN_REGISTERS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_IN_REGISTERS_H

#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/registers/registers.h"

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)

#if PLUMB_LIMBS == 2
#include "backend/cuda/lsq/panel/inverse.h"
#endif
#include "backend/cuda/lsq/registers/ends.h"
#include "backend/cuda/lsq/registers/follow.h"
#include "backend/cuda/lsq/registers/rows.h"
#include "backend/cuda/lsq/registers/sides.h"
#include "backend/cuda/lsq/registers/single.h"
#include "backend/cuda/lsq/registers/steps.h"

/* Defined as true by kernels that do this in one warp of a block with other warps. */
#ifndef REGISTERS_INSIDE
#define REGISTERS_INSIDE false
#endif

/* Registers that a thread of a block may have: warps come by fours, one to each quarter of a multiprocessor. */
constexpr int registers_of(int threads)
{
    return 65536 / ((threads + 127) / 128 * 128) < 255 ? 65536 / ((threads + 127) / 128 * 128) / 8 * 8 : 255;
}

/* How many rows of the pivots stay in registers from the products to the removal; the others are read again. */
constexpr int rows_held(int rows, int columns, int threads, int together)
{
    const int a_row = 4 * PLUMB_LIMBS, others = (PLUMB_LIMBS == 1 ? 50 : 70) + 6 * columns + 24 * (together - 1);
    const int left = (registers_of(threads) - others - a_row * rows * columns) / together;
    return left < 0 ? 0 : left / a_row < rows ? left / a_row : rows;
}

template <int LANES, int ROWS, int COLUMNS, int THREADS, bool CLUSTER, int TOGETHER, int BLOCKS, bool BESIDE,
          bool ALONG>
struct in_registers {
    static const int lanes = LANES, rows_each = ROWS, columns_each = COLUMNS;
    static const bool by_matrices = LIMBS == 1 && TOGETHER == 2 && LANES == REGISTERS_QUAD;
    static const int groups = REGISTERS_GROUPS(LIMBS, LANES, TOGETHER), spacing = by_matrices ? 1 : groups,
                     height = LANES * ROWS, a_warp = REGISTERS_A_WARP(LIMBS, LANES, COLUMNS, TOGETHER);
    static const int together = TOGETHER; /* pivots per step */
    static const bool in_cluster = CLUSTER;
    static_assert(TOGETHER == 1 || (LANES < GPU_WARP && COLUMNS == 1), "both pivots must be in one slot of a warp");
    static const int held = rows_held(ROWS, COLUMNS, BESIDE ? BLOCKS *THREADS : THREADS, together);
    static const int step = REGISTERS_STEP(LIMBS, LANES, ROWS), tail = step - 2, a_number = PARTS * LIMBS;
    /* If both halves of a warp have the same column, the warp is idle once that column is a pivot: it then sums the square norm
     * and sends the inverse after the column. */
    static const bool apart = LIMBS == 2 && LANES == REGISTERS_HALF;
    static_assert(!apart || (CLUSTER && COLUMNS == 1 && TOGETHER == 1), "such kernels are for clusters");
    static const int sent = apart ? tail : step; /* doubles that go with the column */
    /* Kernels for many problems have no right-hand sides among the columns of their threads: see sides.h. */
    static const bool beside = BESIDE, alone = BESIDE && THREADS == GPU_WARP;
    static const bool inside = alone && REGISTERS_INSIDE; /* the block has other warps, which do something else */
    static_assert(!BESIDE || (!CLUSTER && TOGETHER == 1), "the warps of a cluster are busy enough");
    /* Warps of the block of the right-hand side find x along with the columns. */
    static const bool by_rows = ALONG && LIMBS == 1, single = by_rows && !CLUSTER;
    /* Another kernel finds x, to which coefficients go through global memory. */
    static const bool inverts = ALONG && LIMBS == 2;
    /* Another warp measures the pivots for the right-hand side. If not, and columns have 128 rows, rows of the inverse leave out the
     * second half of their pairs while there are none; elsewhere this gains nothing. */
    static const bool measured = by_rows && REGISTERS_MEASURED(LANES, ROWS), halves = by_rows && ROWS == 8;
    /* Blocks that get a column from the one that has it: the others get it from those, where copies to all would leave too late. */
    static const bool passes_on = by_rows && ROWS >= 6;
    static const int fan = passes_on ? (int)REGISTERS_FAN : (int)REGISTERS_CLUSTER;
    /* Tensor cores add the products of two pivots with each other over the warp: see pivot_sums. */
    static const bool by_ones = by_rows && LANES == REGISTERS_HALF;
    /* Blocks meet while the kernel before runs. */
    static const bool meets_early = by_rows || (apart && !inverts);
    static const bool hands_over = by_rows && !single && a_warp > TOGETHER; /* between steps, not when a warp is done */
    static_assert(!ALONG || (CLUSTER && (apart || TOGETHER == 2)) || (TOGETHER == 2 && LANES * ROWS <= REGISTERS_PART),
                  "such kernels are for clusters, or for one part of x");
    /* Back substitution by halves of warps has shorter steps, but more often another warp goes on with the next 16 unknowns. Up to
     * 16 and 48 unknowns it is faster. */
    static const bool back_halves = apart && ROWS % 2 == 1;
    static const int back_rows = back_halves ? LANES : GPU_WARP; /* unknowns that a warp solves for at a time */
    /* Columns that a warp of the last block follows at a time, if the last warp has the right-hand sides: see follow.h. */
    static const int followed = THREADS > 2 * GPU_WARP ? (GPU_WARP + THREADS / GPU_WARP - 2) / (THREADS / GPU_WARP - 1)
                                                       : 0;
    static_assert(!apart || THREADS >= height, "the last block has a thread for every unknown");

    int problem, cols, all, rows;
    int end;           /* columns that are distributed to threads: all, or those of A */
    int cluster, rank; /* blocks of the problem, number of this one */
    int workers;       /* blocks that have columns */
    int along;         /* whether x is found along with the columns; if not by rows, the last block has no columns */
    int home;          /* number of the keeper */
    int turn;          /* warps of a block that columns are dealt out to, before it is the next ones' turn */
    int warp, warps;   /* number of this warp; warps that have columns; the courier is the next one */
    int lane, group;   /* of the thread in its warp; of the threads of the warp that share a column */
    int position;      /* of the thread in its group: it has rows position, position + LANES, ... */
    int second;        /* whether it is in the second half of a warp of which both halves have the same column */
    int base;          /* the first column of the warp */
    int own_first;     /* the first column of the thread */
    int next;          /* the warp's next column to become a pivot, or the first of two */
    int taken;         /* steps that the warp has taken with its columns, when it is done */
    int sides;         /* whether it is the one that has the right-hand sides: see sides.h */
    int slots, first;  /* places for columns in shared memory; the column in the first of them */
    int limit;         /* the first column that has no place yet */
    int parity;        /* of the barriers: changes when the places are used again */
    int here;          /* where the pivots of this step are, in doubles from `pivots` */
    int turn_here;     /* number of their barrier */
    double *pivots;    /* in shared memory: the places, */
    double *kept;      /* coefficients of all columns (in the keeper), */
    double *squares, *exponent, *outcomes; /* square norms and exponents of columns; what went wrong in each block, */
    gpu_barrier *ready;                    /* for each place: its column has come, */
    gpu_barrier *inverted;  /* and the inverse of its square norm, where that comes apart from the column; */
    gpu_barrier *coming;    /* in the keeper, for each pivot: the coefficients of all columns behind it have come; */
    gpu_barrier *delivered; /* or, of all columns at once; */
    int32_t *outcome, *out_of_range, *unfit; /* what went wrong; whether a result leaves the range, an unknown */
    double *answers; /* unknowns found along with the columns, of all right-hand sides, and numbers of a part; */
    int32_t *unstable, *sizes,
        *grown; /* whether the inverse is not stable; of each right-hand side, the size of x and of the sums
                                          of moduli that it comes from */
    gpu_remote keeper,
        there; /* the block that gets all results: the last one if x is found along with the columns, or block 0;
                                 the block whose distance in turns equals the thread index, if there is one */
    double *place[COLUMNS]; /* where the coefficients of each of the thread's columns begin */
#if PLUMB_LIMBS == 2
    const mgs_gpu_job *job; /* in d, where it is not needed, it would change the registers of all kernels */
    double *in_memory;      /* where the real or imaginary parts of the coefficients begin in global memory */
#endif
    double least[COLUMNS];  /* the square norm of an independent column is larger */
    num own[COLUMNS][ROWS]; /* the thread's entries of its columns */

    /* By rows: */
    gpu_barrier *noted, *found; /* for two pivots: what their step has found is there; for a part of x: it is there */
    gpu_barrier *known;         /* for two pivots: what was measured of them is there, */
    double *measures;           /* here */
    int notes;                  /* whether this warp has the right-hand side, and notes what a step finds */
    double *note_at;            /* where this thread of such a warp stores its number of the next step, and */
    int note_step;              /* how far away the one behind it is, in doubles */
    int part;                   /* the part of x that this warp finds, or what it does instead: see registers_part */
    int plain;                  /* whether nothing but x is wanted */
    int skips;                  /* whether a warp is done when its last columns have been published */
    int half;                   /* places that are used again at a time */
    int arrived; /* whether other blocks know that this thread is done with some, and it has not waited for them since */
    int last_here, last_there; /* the last columns of this block, and of the block `there` */

    /* The warp's columns, or pairs of them, lie `turn` columns or pairs apart. */
    __device__ __forceinline__ int column(int slot) const
    {
        return own_first + slot * groups * turn;
    }
    __device__ __forceinline__ int last_column(int slot) const
    {
        return base + ((slot + 1) * groups - together) * turn + together - 1;
    }
    /* The last column of a block. */
    __device__ __forceinline__ int last_of(int block) const
    {
        const int share = a_warp * turn, round = share * workers, left = all % round, from = all - left + block * share;
        return left > block * share ? (left < (block + 1) * share ? all : from + share) - 1 : from - round + share - 1;
    }
    /* Whether a block whose last column is this one gets columns k and k + 1 of another block; if not by_rows, every block does. */
    __device__ __forceinline__ static int wants(int last, int k)
    {
        return !by_rows || last > k + 1;
    }
    /* The first column of a warp of this block. */
    __device__ __forceinline__ int base_of(int number) const
    {
        return (number / turn * workers + rank) * turn * a_warp + number % turn * together;
    }
    __device__ __forceinline__ int block_of(int k) const
    {
        return CLUSTER ? k / (a_warp * turn) % workers : 0;
    }
    __device__ __forceinline__ void meet(void)
    {
        gpu_sync_warp(); /* warps come as a whole */
        if constexpr (CLUSTER)
            gpu_cluster_sync();
        else
            sync();
    }
    /* The threads that work on a problem, and the number of this one. */
    __device__ __forceinline__ int threads(void) const
    {
        return inside ? (int)GPU_WARP : gpu_threads();
    }
    __device__ __forceinline__ int thread(void) const
    {
        return inside ? lane : gpu_thread();
    }
    __device__ __forceinline__ void sync(void) const
    {
        if constexpr (alone)
            gpu_sync_warp();
        else
            gpu_sync();
    }

    /* ---- Beginning --------------------------------------------------------------------------------------------------- */

    /* Who has which columns, and where everything is in shared memory: see REGISTERS_REST. */
    __device__ __forceinline__ void set_up(const mgs_gpu_job *given, const registers_shape *shape)
    {
        set_up(given, shape, gpu_shared(), gpu_block() / (CLUSTER ? shape->cluster : 1));
    }
    __device__ __forceinline__ void set_up(const mgs_gpu_job *given, const registers_shape *shape, double *memory,
                                           int number)
    {
        cluster = CLUSTER ? shape->cluster : 1;
        along = by_rows || (apart && !inverts && shape->along);
        workers = cluster - (apart && along);
        rank = 0;
        turn = alone ? 1 : shape->turn;
        problem = number;
        cols = given->cols, all = given->all, rows = given->rows;
        end = beside ? cols : all;
        lane = gpu_thread() % GPU_WARP;
        warp = alone ? 0 : gpu_thread() / GPU_WARP;
        warps = alone ? 1 : shape->warps;
        group = by_matrices ? lane / LANES : lane % groups;
        position = by_matrices || apart ? lane % LANES : lane / groups;
        second = apart && lane >= LANES;
        slots = shape->slots;
        if (by_rows && slots < cols)
            slots = slots / 4 * 4;
        half = limit = by_rows && slots < cols ? slots / 2 : slots;
        first = parity = here = turn_here = arrived = 0;
        pivots = memory;
        kept = pivots + (slots + (beside ? REGISTERS_SIDE_PLACES(cols, all) : 0)) * step;
        squares = kept + SMALL_COEFFICIENTS(cols, all) * a_number;
        exponent = squares + all * LIMBS;
        outcomes = exponent + all;
        ready = (gpu_barrier *)(pivots + gpu_once((int)(outcomes + REGISTERS_CLUSTER - pivots)));
        inverted = ready + slots;
        coming = inverted + (REGISTERS_BARRIERS(LIMBS, beside) - 1) * slots;
        delivered = coming;
        noted = coming + (cols + 1) / 2;
        known = noted + (cols + 1) / 2;
        found = measured ? known + (cols + 1) / 2 : known;
        outcome = (int32_t *)(coming + REGISTERS_COMING(LIMBS, cols, along + measured));
        out_of_range = outcome + 1;
        unfit = outcome + 2;
        unstable = outcome + 3;
        sizes = unstable + 1;
        grown = sizes + REGISTERS_SIDES;
        answers = pivots + gpu_once((int)((double *)outcome + REGISTERS_FLAGS - pivots + 1) / 2 * 2);
        home = !along ? 0 : apart ? workers : block_of(cols);
        if constexpr (CLUSTER) {
            rank = gpu_cluster_rank();
            keeper = gpu_remote_of(home);
            there = gpu_remote_of((rank + lane) % workers);
            last_here = by_rows ? last_of(rank) : 0, last_there = by_rows ? last_of((rank + lane) % workers) : 0;
        }
        base = warp >= warps || rank == workers ? all : base_of(warp);
        /* Groups without a column get one that does not exist. */
        own_first = group < groups ? base + group / together * together * turn + group % together : all + together;
        next = base;
        taken = 0;
        sides = beside && (alone || warp == warps - 1);
        part = REGISTERS_NOTHING, notes = note_step = 0, note_at = couplings();
        if constexpr (by_rows) {
            const registers_deal deal = {
                cols, all, a_warp * turn, turn, workers, warps, gpu_threads() / GPU_WARP, measured ? shape->along : 0};
            notes = rank == home && warp == registers_side_warp(&deal);
            part = single         ? (warp == warps ? 0 : REGISTERS_NOTHING)
                   : rank == home ? registers_part(&deal, warp)
                                  : REGISTERS_NOTHING;
            measures = couplings() + (cols + 1) / 2 * a_number;
            const int of_side = own_first == cols && position >= 2;
            note_at = !of_side        ? kept + (SMALL_COEFFICIENTS(cols, own_first) + position) * a_number
                      : position == 2 ? couplings()
                                      : squares;
            note_step = of_side ? 2 : 2 * a_number;
        }
        skips = by_rows && !given->w;
        plain = (single || (apart && along)) && !given->w && given->x.data && !given->residual.data &&
                !given->corrected.data && !given->coefficients;
        LANE_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            place[c] = kept + SMALL_COEFFICIENTS(cols, column(c)) * a_number;
#if PLUMB_LIMBS == 2
        job = given;
        in_memory = given->c + problem * given->c_step;
        if constexpr (apart)
            in_memory = gpu_once(in_memory + (int64_t)(base < all ? base : 0) * cols + second * LIMBS * given->c_plane);
#endif
    }

    /* Barriers, and what they have to wait for. */
    __device__ __forceinline__ void prepare(void) const
    {
        for (int k = gpu_thread(); !inside && k < slots; k += gpu_threads())
            gpu_barrier_init(ready + k, CLUSTER ? 1 : gpu_arrivals(GPU_WARP));
        for (int k = gpu_thread(); !inside && (apart || beside) && k < slots; k += gpu_threads())
            gpu_barrier_init(inverted + k, 1);
        for (int k = gpu_thread(); apart && k < cols; k += gpu_threads())
            gpu_barrier_init(coming + k, 1);
        for (int k = gpu_thread(); by_rows && k < REGISTERS_COMING(LIMBS, cols, along + measured); k += gpu_threads())
            gpu_barrier_init(coming + k, 1);
        if (thread() == 0) {
            if constexpr (CLUSTER && !apart && !by_rows)
                gpu_barrier_init(delivered, 1);
            *outcome = *out_of_range = *unfit = 0;
            if constexpr (apart || by_rows) {
                *unstable = 0;
                for (int s = 0; s < REGISTERS_SIDES; s++)
                    sizes[s] = grown[s] = 0;
            }
        }
        if constexpr (CLUSTER)
            gpu_barrier_init_done();
        sync();
        if constexpr (CLUSTER) {
            announce();
            if (warp == warps && !inverts && rank == home) /* the courier has nothing else to do yet */
                expect_coefficients();
        }
    }

    /* What will come to the keeper: the coefficients of each step, of two columns at a time, or of all columns of other blocks. */
    __device__ __forceinline__ void expect_coefficients(void) const
    {
        if constexpr (apart) {
            for (int k = lane; k < cols; k += GPU_WARP)
                gpu_barrier_expect(coming + k, (all - k - 1) * a_number * 8);
        } else if constexpr (by_rows) {
            for (int k = 2 * lane; k < cols; k += 2 * GPU_WARP)
                if (block_of(k) != home)
                    gpu_barrier_expect(coming + k / 2, 2 * (k * a_number + 1) * 8);
        } else {
            int bytes = 0;
            for (int j = lane; j < all; j += GPU_WARP)
                bytes += block_of(j) != 0 ? coefficient_doubles(this, j) * 8 : 0;
            for (int with = 1; with < GPU_WARP; with <<= 1)
                bytes += gpu_shuffle_xor_int(bytes, with);
            if (lane == 0)
                gpu_barrier_expect(delivered, bytes);
        }
    }
    __device__ __forceinline__ void await_coefficients(void) const
    {
        if constexpr (!apart)
            gpu_barrier_wait(delivered, 0);
        else
            for (int k = lane; k < cols; k += GPU_WARP)
                gpu_barrier_wait(coming + k, 0);
    }

    /* The column of a slot, whose largest entry has this high word, times a power of two. */
    __device__ __forceinline__ void scale(const mgs_gpu_job *given, int c, int size)
    {
        const int j = column(c);
        double sum;
        const int power = rows_scale<ROWS>(own[c], size, &sum);
#if PLUMB_LIMBS == 2
        LANE_UNROLL
        for (int i = 0; apart && i < ROWS; i++)
            own[c][i] = half_of(own[c][i], second);
#endif
        least[c] = lane_mul(given->dependent, group_sum<LANES, spacing>(sum));
        if (position == 0 && !second && j < end)
            note_power(j, power, size);
    }

    /* The power of two that a column was divided by, and whether its largest entry is finite. */
    __device__ __forceinline__ void note_power(int j, int power, int size)
    {
#if PLUMB_LIMBS == 2
        if constexpr (inverts) {
            job->exponent[(int64_t)problem * all + j] = power;
            gpu_word_set(words_of(j) + FLOW_BESIDE, size < 0x7ff00000 ? power : BESIDE_NONFINITE);
        }
#endif
        if constexpr (!inverts)
            tell(exponent + j, (double)power);
        if (size >= 0x7ff00000)
            gpu_raise(outcome, MGS_NONFINITE);
    }

    /* Where the columns of the warp are in global memory. */
    struct source {
        const double *from[COLUMNS];
        int64_t plane[COLUMNS];
    };
    __device__ __forceinline__ void locate(const mgs_gpu_job *job, source *s) const
    {
        LANE_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            s->from[c] = job_column(job, problem, column(c) < all ? column(c) : 0, &s->plane[c]);
    }

    /* Loads all columns of the warp. All loads are issued before the first one is waited for. */
    __device__ __forceinline__ void load(const mgs_gpu_job *given, const source *s)
    {
        int size[COLUMNS];
        LANE_UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            if constexpr (meets_early)
                rows_load_from<ROWS, LANES>(s->from[c], s->plane[c], rows, column(c) < end, position, own[c]);
            else
                rows_load<ROWS, LANES>(given, problem, column(c), column(c) < end, position, own[c]);
        }
        LANE_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            size[c] = group_max<LANES, spacing>(rows_largest<ROWS>(own[c]));
        LANE_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            scale(given, c, size[c]);
    }

    /* ---- The courier ------------------------------------------------------------------------------------------------- */

    /* The courier waits until everything that others send to this block has arrived, before their next messages or the end. There
     * may be no other warp waiting for a column, where the block has no column behind it; and no copy may be under way to a block that
     * has ended. */
    __device__ __forceinline__ void await_all(void) const
    {
        /* The last one first: whoever waits for many barriers at a time polls, and slows down the right-hand side. */
        if constexpr (apart)
            if (warp == warps && rank < workers && first < cols)
                gpu_barrier_sleep(inverted + ((cols - first < slots ? cols - first : slots) - 1), parity);
        if constexpr (CLUSTER)
            for (int k = first + lane * together; warp == warps && rank < workers && k < cols && k - first < slots;
                 k += GPU_WARP * together) {
                if (block_of(k) == rank || wants(last_here, k))
                    gpu_barrier_sleep(ready_of(k), parity);
                if constexpr (apart)
                    gpu_barrier_sleep(inverted + (k - first), parity);
            }
    }

    /* The courier informs the barriers which columns of other blocks will come, and how long they are. */
    __device__ __forceinline__ void announce(void) const
    {
        for (int k = first + lane * together; warp == warps && rank < workers && k < cols && k - first < slots;
             k += GPU_WARP * together)
            if (block_of(k) != rank && wants(last_here, k)) {
                gpu_barrier_expect(ready_of(k), together * sent * 8);
                if constexpr (apart)
                    gpu_barrier_expect(inverted + (k - first), LIMBS * 8);
            }
    }

    /* The courier copies the columns of this block, as they are finished, to the blocks whose turns are next, `fan` of them: one copy
     * after the other, first to the next one. If there are more blocks, they get the columns from those: the block d turns behind that
     * of a column copies it to those fan d + 1, ..., fan d + fan turns behind. `there` is the block whose distance in turns equals the number of the
     * thread. */
    __device__ __forceinline__ void carry(void)
    {
        const int share = a_warp * turn, round = share * workers;
        int behind = passes_on ? rank : 0;
        for (int from = passes_on ? 0 : rank * share; rank < workers && from < cols;
             from += passes_on ? share : round) {
            const int before = (fan - 1) * behind, sends = lane > before && lane <= before + fan &&
                                                           behind + lane < workers &&
                                                           wants(last_there, from + share - together);
            for (int k = from; (!passes_on || gpu_any(sends)) && k < from + share && k < cols; k += together) {
                while (k >= end_of_places())
                    turn_over(end_of_places());
                double *at = pivots + (k - first) * step;
                gpu_barrier_sleep(ready_of(k), parity);
                if (behind == 0)
                    gpu_send_ready();
                if (sends)
                    gpu_send_many(there, at, at, together * sent, ready_of(k));
            }
            if (passes_on)
                behind = behind == 0 ? workers - 1 : behind - 1;
        }
    }

    /* ---- Finished columns -------------------------------------------------------------------------------------------- */

    /* A row in shared memory: pairs of doubles, all first pairs of a column before the second ones. */
    __device__ __forceinline__ num pivot_row(const double *pivot, int i) const
    {
        double v[a_number];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            pair p = *(const pair *)(pivot + 2 * (q * height + LANES * i + position));
            v[2 * q] = p.x, v[2 * q + 1] = p.y;
        }
        return num_of_limbs(v);
    }

    __device__ __forceinline__ void store_pairs(double *to, int apart, num a, int really) const
    {
        double v[a_number];
        num_store(v, 1, a, 1);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_put(to + 2 * q * apart, v[2 * q], v[2 * q + 1], really);
    }

    __device__ __forceinline__ void store_row(double *pivot, int i, num a, int really) const
    {
#if PLUMB_LIMBS == 2
        if constexpr (apart) {
            gpu_put(pivot + 2 * (second * height + LANES * i + position), a.re.hi, a.re.lo, really);
            return;
        }
#endif
        store_pairs(pivot + 2 * (LANES * i + position), height, a, really);
    }

    /* The barrier for column k, or for k and k + 1. */
    __device__ __forceinline__ gpu_barrier *ready_of(int k) const
    {
        return ready + (k - first) / together;
    }

    /* Column `next`, in this slot of the warp, is final: it goes to this place with this barrier. Of two, the second one still has its
     * share of the first one in it. */
    template <int SLOT> __device__ __forceinline__ void publish(int to, int barrier)
    {
        const int which = column(SLOT) - next, mine = which >= 0 && which < together;
        double *at = pivots + to + (group % together) * step;
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            store_row(at, i, own[SLOT][i], mine);
        if constexpr (!apart)
            gpu_put(at + tail, least[SLOT], 0.0, mine && position == 0);
        gpu_sync_warp();
        if (!alone && (CLUSTER ? lane == 0 : gpu_arrives(lane)))
            gpu_barrier_arrive(ready + barrier);
        if constexpr (apart)
            publish_inverse(at + tail, inverted + barrier);
    }

    /* Sends the inverse of the square norm of the column of this warp to all blocks; 0 if the column depends on
     * others. */
    __device__ __forceinline__ void publish_inverse(double *at, gpu_barrier *barrier)
    {
#if PLUMB_LIMBS == 2
        real total = halves_square<ROWS>(own[0], usual_rounder<height>());
        if (!(real_head(total) >= USUAL_SQUARE)) /* the imaginary parts may be those of the step before */
            total = halves_square<ROWS>(own[0], rounder_of<height>(rows_size<ROWS, true>(own[0]), 1));
        const int depends = !(real_head(total) > least[0]);
        double v[LIMBS];
        limbs_of_real(v, real_select(depends, real_set(0.0), inverse_near(total)));
        if (lane == 0) {
            gpu_put(at, v[0], v[LIMBS - 1], 1);
            gpu_barrier_arrive(barrier);
        } else if (lane < workers)
            gpu_send(there, at, v[0], v[LIMBS - 1], barrier);
        if (inverts && lane == 0)
            gpu_words_set(words_of(base), v[0], v[LIMBS - 1]);
        if (lane == 0)
            note_square(base, total, depends);
#endif
    }
#if PLUMB_LIMBS == 2
    /* What the kernel that finds x is told of column j: see FLOW_WORDS. */
    __device__ __forceinline__ double *words_of(int j) const
    {
        return job->products + (int64_t)j * FLOW_WORDS(LIMBS);
    }
#endif

    __device__ __forceinline__ void note_square(int k, real square, int depends)
    {
        double v[LIMBS];
        limbs_of_real(v, square);
#if PLUMB_LIMBS == 2
        if constexpr (inverts) {
            real_store(job->s + problem * job->s_step + k, all, square, 1);
            if (k == cols)
                gpu_words_set(words_of(k), v[0], v[LIMBS - 1]);
        }
#endif
        LANE_UNROLL
        for (int q = 0; q < LIMBS && !inverts; q++)
            tell(squares + k * LIMBS + q, v[q]);
        if (depends)
            gpu_raise(outcome, MGS_DEPENDENT - k);
    }

    /* Coefficient k of a column of this thread. */
    __device__ __forceinline__ void keep_coefficient(int slot, int k, num c, int really)
    {
        store_pairs(place[slot] + k * a_number, 1, c, really);
    }
#if PLUMB_LIMBS == 2
    /* Both halves of a warp mark the coefficients of its column, one part each, for the kernel that finds x. */
    __device__ __forceinline__ void mark_half(void) const
    {
        for (int k = position; k < (base < cols ? base : cols); k += LANES)
            if (base < all) {
                mark_word(in_memory + k);
                mark_word(in_memory + job->c_plane + k);
            }
    }
    /* A coefficient from both halves of a warp, one part each: it goes at once to the keeper or to the kernel that finds x. */
    __device__ __forceinline__ void keep_half(int k, dd c, int really)
    {
        if constexpr (!inverts)
            gpu_send_some(keeper, place[0] + k * a_number + second * LIMBS, c.hi, c.lo, coming + k, really);
        else if (really) {
            gpu_word_set(in_memory + k, c.hi);
            gpu_word_set(in_memory + job->c_plane + k, c.lo);
        }
    }
#endif

    /* Whether x of right-hand side s, found along with the columns, is accurate: see follow.h. */
    __device__ __forceinline__ int stable(int s) const
    {
        return !*unstable && grown[s] <= sizes[s] + (GROWTH << 20);
    }

    /* The coefficients of first pivots in second ones, as noted. */
    __device__ __forceinline__ double *couplings(void) const
    {
        return answers + cols * a_number;
    }
    /* What the warp has written is there for those that wait at this barrier of the block. */
    __device__ __forceinline__ void announce_to(gpu_barrier *barrier) const
    {
        gpu_sync_warp();
        if (lane == 0)
            gpu_barrier_arrive(barrier);
    }
    /* The warp has published columns k and k + 1: their coefficients, without that of one in the other, and their exponents go to
     * the keeper. */
    __device__ __forceinline__ void hand_over(int k) const
    {
        if (rank == home) {
            announce_to(coming + k / 2);
            return;
        }
        double *from = kept + SMALL_COEFFICIENTS(cols, k) * a_number;
        gpu_send_ready();
        gpu_sync_warp();
        if (lane < 2)
            gpu_send_one(keeper, exponent + k + lane, exponent[k + lane], coming + k / 2);
        else if (lane == 2 && k > 0)
            gpu_send_many(keeper, from, from, 2 * k * a_number, coming + k / 2);
    }

    /* Stores a number, in the shared memory of the keeper if results go there at once; it is visible when all blocks have met. */
    __device__ __forceinline__ void tell(double *to, double v) const
    {
        if constexpr (apart)
            gpu_store_remote(keeper, to, v);
        else
            *to = v;
    }

    /* ---- Steps ------------------------------------------------------------------------------------------------------- */

    /* The share of this thread in conj(pivot) times a column: real and imaginary part. */
    __device__ __forceinline__ void dot(const num *pivot, const num *column, real_acc *sum) const
    {
        rows_dot<ROWS>(pivot, column, sum);
    }

    __device__ __forceinline__ void await_others(int k)
    {
        if constexpr (alone)
            return;
        if (k < base || k + together * turn != next)
            gpu_barrier_sleep(ready + turn_here, parity);
    }

    /* Whether the warp has the pivots after k, and there is a place for them. */
    __device__ __forceinline__ int next_may_go(int k) const
    {
        return k + together == next && next < cols && (by_rows ? next < limit : next - first < slots);
    }

    /* In step k, when the columns of slot FIRST are done: publishes the next pivots, if the warp has them and there is a place. */
    template <int FIRST> __device__ __forceinline__ void publish_next(int k)
    {
        if (next_may_go(k) && (together == 1 || next < last_column(FIRST)))
            publish<FIRST>(here + together * step, turn_here + 1);
    }

    /* There are places again, for columns from k on, which is the limit: all of them, or the half that was filled first. Blocks
     * need not meet for halves. They are half of the places away from those that they write to: this thread is done with the half
     * before k, and all threads have been done with the other half for long. */
    __device__ __forceinline__ void turn_over(int k)
    {
        if constexpr (by_rows && !single) {
            for (int j = k - half + lane * together; warp == warps && j < k; j += GPU_WARP * together) {
                if (block_of(j) == rank || wants(last_here, j))
                    gpu_barrier_sleep(ready_of(j), parity);
                if (j + slots < cols && block_of(j + slots) != rank && wants(last_here, j + slots))
                    gpu_barrier_expect(ready_of(j), together * sent * 8);
            }
            await_halves();
            gpu_cluster_arrive();
            arrived = 1;
            first = k - first == slots ? k : first;
            parity ^= first == k;
            limit = k + half;
        } else {
            await_all();
            meet();
            first = k;
            parity ^= 1;
            if constexpr (CLUSTER) {
                announce();
                meet();
            }
        }
    }
    /* The first column that has no place yet. */
    __device__ __forceinline__ int end_of_places(void) const
    {
        return by_rows ? limit : first + slots;
    }
    /* All blocks are done with the half of the places for which this thread has arrived. */
    __device__ __forceinline__ void await_halves(void)
    {
        if constexpr (by_rows && !single) {
            gpu_sync_warp();
            if (arrived)
                gpu_cluster_wait();
            arrived = 0;
        }
    }

    /* The same in step k, by a warp that may have the column there was no place for. */
    template <int FIRST, bool NOTES> __device__ __forceinline__ void renew(int k)
    {
        turn_over(k);
        here = turn_here = 0;
        if constexpr (by_rows)
            here = (k - first) * step, turn_here = (k - first) / together;
        if (next == k) {
            publish<FIRST>(here, turn_here);
            if constexpr (hands_over || (NOTES && !single))
                hand_over(next);
            next += together * turn;
        }
    }

    /* All steps from k on, in which the slots from FIRST on have something to do. NOTES: the warp has the right-hand side, by_rows. */
    template <int FIRST, bool NOTES> __device__ __forceinline__ void take_all(int k)
    {
        const int last = last_column(FIRST), end = last < cols ? last - skips : cols;
        for (;;) {
            /* The last column of a slot takes no step of its own, but may be the one without a place. */
            if (k == end_of_places() && (k < end || ((together == 1 || skips) && k == next && k < cols)))
                renew<FIRST, NOTES>(k);
            if (k >= end)
                break;
            const int stop = end < end_of_places() ? end : end_of_places();
#pragma unroll 1
            for (; k < stop; k += together) {
                if constexpr (together == 2)
                    registers_take_two<FIRST, NOTES>(this, k);
#if PLUMB_LIMBS == 2
                else if constexpr (apart)
                    registers_take_apart(this, k);
#endif
                else if constexpr (beside)
                    registers_take_beside<FIRST>(this, k);
                else
                    registers_take<FIRST>(this, k);
                if constexpr (hands_over || (NOTES && !single))
                    if (next_may_go(k) && next < last)
                        hand_over(next);
                if constexpr (!apart) /* otherwise a warp has a single column */
                    next += next_may_go(k) ? together * turn : 0;
                here += together * step;
                turn_here++;
                if constexpr (NOTES)
                    note_at += note_step;
            }
        }
        if constexpr (FIRST + 1 < COLUMNS)
            take_all<FIRST + 1, NOTES>(k);
        else
            taken = k;
        if constexpr (by_rows && !single && !hands_over && !NOTES)
            hand_over(base);
    }

    /* What a block with columns does, after the kernel before. Returns whether it solves for x when all blocks are done. */
    __device__ __forceinline__ int take_columns(const mgs_gpu_job *given, const source *columns)
    {
        if (!apart || base < all) /* warps without columns would slow down the others */
            load(given, columns);
        if (sides)
            sides_load(this, given);
        if constexpr (inverts)
            gpu_fence(); /* marks */
        if constexpr (!meets_early)
            meet();
        else if constexpr (!single)
            gpu_cluster_wait(); /* the barriers of all blocks are ready */
        if constexpr (inverts)
            gpu_next_may_begin(); /* coefficients are marked */
        const int works = base < all;
        if constexpr (single)
            if (!works) /* no other warp waits for this one yet */
                gpu_next_may_begin();
        if (base == 0) {
            publish<0>(0, 0);
            if (!single && (hands_over || notes))
                hand_over(0);
            next = together * turn;
        }
        int solves = rank == 0 && !along && !inverts;
        row_unknown unknown = {cols, cplx_make(real_set(0.0), real_set(0.0)), cplx_make(real_set(0.0), real_set(0.0))};
        if (works && notes)
            take_all<0, by_rows>(0);
        else if (works)
            take_all<0, false>(0);
        else if (CLUSTER && warp == warps)
            carry();
        if constexpr (measured)
            if (works && (!skips || notes))
                registers_leave(this, given);
        if constexpr (single) {
            if (part >= 0)
                registers_single(this, given, &unknown);
        } else if constexpr (by_rows)
            if (part >= 0)
                registers_rows(this, given, &unknown);
        if constexpr (measured)
            if (part == REGISTERS_MEASURING)
                registers_measure(this);
        if (sides)
            sides_take_rest(this);
        if constexpr (!single) {
            while (end_of_places() < cols)
                turn_over(end_of_places());
            await_halves();
            await_all();
        }
        /* If the residual is all that is left, the last warp sums it while the first one solves. */
        const int late = !CLUSTER && !single && together == 2 && cols % 2 == 0 && all == cols + 1;
        if (works && !measured && !late && (!skips || notes) && !plain)
            registers_leave(this, given);
        if (sides)
            sides_leave(this, given);
        if constexpr (single)
            solves = !registers_single_end(this, given, &unknown);
        else if constexpr (by_rows)
            solves = !registers_rows_end(this, given, &unknown);
        else {
            if constexpr (CLUSTER) {
                if (!apart && works && rank != 0)
                    registers_deliver(this);
                gpu_sync();
                if (gpu_thread() == 0 && !inverts)
                    gpu_store_remote(keeper, outcomes + rank, (double)*outcome);
                if (rank == 0 && !along && !inverts)
                    await_coefficients();
            }
            meet();
            if (late && works) {
                registers_leave(this, given);
                gpu_sync_warp();
            }
        }
        return solves;
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *given, const registers_shape *shape)
    {
        set_up(given, shape);
        prepare();
        source columns;
        if constexpr (meets_early) { /* what can be done while the kernel before runs */
            if constexpr (!single)
                gpu_cluster_come();
            locate(given, &columns);
            registers_touch(given);
        }
        gpu_previous_done();
        if constexpr (!single && !inverts)
            gpu_next_may_begin();
#if PLUMB_LIMBS == 2
        if constexpr (inverts)
            mark_half();
#endif
        int solves;
        if constexpr (apart)
            solves = rank == workers ? registers_follow(this, given) : take_columns(given, &columns);
        else
            solves = take_columns(given, &columns);
        if (solves)
            registers_solve(this, given, apart && rank == workers, registers_failed(this));
    }
};

#else
template <int LANES, int ROWS, int COLUMNS, int THREADS, bool CLUSTER, int TOGETHER, int BLOCKS, bool BESIDE,
          bool ALONG>
struct in_registers {
    __device__ void run(const mgs_gpu_job *, const registers_shape *)
    {
    }
};
#endif

#endif
