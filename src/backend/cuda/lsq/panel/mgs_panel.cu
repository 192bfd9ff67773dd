/* mgs_panel.cu - modified Gram-Schmidt on many multiprocessors: a block has a few consecutive columns, a panel, in
 * registers.
 *
 * WARPS warps are a team and share a column, ROWS rows per thread, both parts of a number in one thread. A block
 * takes the columns before its panel one after the other as they become ready; then those of its panel, through
 * shared memory, so that the path to another multiprocessor is taken once per panel. One more team is the block's
 * courier: it fetches the columns of others into places in shared memory, ahead of those that need them. Behind these
 * there is a place for each column of the panel, and one loop takes all of them: a step takes 50 ns more where one loop
 * ends and another begins, and all other blocks wait for it.
 *
 * Invariants. A column goes through global memory without a flag: all words there are a NaN that no column has
 * (GPU_NOT_YET) until they are written, and the courier reads them, in pairs, until they are something else. This is
 * one trip through the second-level cache, where a flag would take three: for the words, for the flag that must not
 * overtake them, and for the words again. Blocks take numbers in the order they start and wait only for those with
 * lower ones, so any number of them may run at a time. A place is used again only when all teams of the block have
 * read it.
 *
 * The square norm of a column is added up by every team beside its own product; in dd by the team that has the
 * column, after the column has gone, and the inverse is fetched by a warp of its own (apart).
 *
 * That is for d and dd; qd has quad.h instead. */
#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/plan.h"

#if PLUMB_PARTS == 2

#include "backend/cuda/lsq/flow/mark.h"

#if PLUMB_LIMBS < 4

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/panel/inverse.h"
#include "backend/cuda/lsq/team.h"

/* A real number in shared memory; in double double, one access. */
GPU_FN real shared_real(const double *at)
{
    if constexpr (LIMBS == 1)
        return real_of_limbs(at);
    else {
        const pair p = *(const pair *)at;
        const double v[] = {p.x, p.y};
        return real_of_limbs(v);
    }
}

/* Marks the coefficients of some columns as not written yet, by some threads. This has a copy of its own because the steps became up to
 * 1% longer where it was part of the kernel. */
GPU_CALL void mark_coefficients(const mgs_gpu_job *job, int problem, int first, int end, int position, int threads)
{
    for (int j = first; j < end; j++) {
        double *to = job->c + problem * job->c_step + (int64_t)j * job->cols;
        for (int k = position; k < j && k < job->cols; k += threads) {
            LANE_UNROLL
            for (int q = 0; q < PARTS * LIMBS; q++)
                mark_word(to + q * job->c_plane + k);
        }
    }
}

template <int WARPS, int ROWS> struct panel {
    static_assert(WARPS % 2 == 0, "sums go through shared memory, in pairs");
    static const int threads = GPU_WARP * WARPS, height = threads * ROWS, a_number = PARTS * LIMBS;
    static const int step = PANEL_STEP(LIMBS, WARPS, ROWS), tail = step - 2;
    static const int a_share = 3 * LIMBS; /* doubles of a warp in an exchange of sums */
    /* The team of a pivot, which is idle afterwards, sums its square norm and sends the inverse after the column. */
    static const bool apart = PANEL_APART(LIMBS);
    static const int held = ROWS > 8   ? 2
                            : ROWS > 4 ? 4
                                       : ROWS; /* rows of a pivot that stay in registers for their second use */

    const mgs_gpu_job *job;
    int problem, first, column; /* first column of the panel, column of the team */
    int before;                 /* the column before that if it is one of A, where inverses come apart */
    int columns, slots;         /* columns of a panel; places for columns of other panels */
    int position;               /* of the thread in its team: it has rows position, position + threads, ... */
    team<threads> mates;        /* the threads that share a column */
    double *places;             /* in shared memory: columns of other panels in transit, */
    double *shared_columns;     /* then those of this one */
    gpu_barrier *ready, *taken; /* of each place: its column has come; all teams have read it */
    gpu_barrier *done;          /* of each column of the panel, behind `ready`: it is finished */
    gpu_barrier *ready_inverse, *done_inverse; /* the same for inverses of square norms, where they come apart */
    double *words[LIMBS];          /* in global memory: words of the first row of this thread, for each pair; */
    double *behind, *coefficients; /* the words beside the column, and its coefficients */
    double least;                  /* the square norm of an independent column is larger */
    num own[ROWS];                 /* the thread's entries of the column */

    /* Pair q of the words of row i of column j, on its way to other blocks. */
    __device__ __forceinline__ double *sent(int q, int j, int i) const
    {
        return job_sent(job, problem) + 2 * (((int64_t)q * job->all + j) * PANEL_SENT_ROWS(job->rows) + i);
    }
    __device__ __forceinline__ int row(int i) const
    {
        return threads * i + position;
    }

    __device__ __forceinline__ num place_row(const double *place, int i) const
    {
        double v[a_number];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            pair p = *(const pair *)(place + 2 * (q * height + row(i)));
            v[2 * q] = p.x, v[2 * q + 1] = p.y;
        }
        return num_of_limbs(v);
    }
    __device__ __forceinline__ void store_row(double *place, int i, const double *v) const
    {
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            *(pair *)(place + 2 * (q * height + row(i))) = pair{v[2 * q], v[2 * q + 1]};
    }

    __device__ __forceinline__ void note_square(int k, real total, int depends)
    {
        real_store(job->s + problem * job->s_step + k, job->all, total, 1);
        if (depends)
            gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_DEPENDENT - k);
    }

    /* Coefficients announce themselves to the kernel that inverts their triangle. */
    __device__ __forceinline__ void put_coefficient(int k, num c) const
    {
        double v[a_number];
        num_store(v, 1, c, 1);
        LANE_UNROLL
        for (int q = 0; q < a_number; q++)
            gpu_word_set(coefficients + q * job->c_plane + k, v[q]);
    }

    /* ---- Sums over the warps of a team ------------------------------------------------------------------------------- */

    /* The sums of COUNT values over the WARPS of the team, of which some threads of a warp have one each. */
    template <int COUNT> __device__ __forceinline__ void exchange_sums(real_acc *sum, real_acc a, int has, int which)
    {
        double *half = team_turn(&mates);
        if (has)
            limbs_of_real(half + mates.warp * a_share + which * LIMBS, a);
        gpu_sync_some(mates.barrier, threads);
        LANE_UNROLL
        for (int warp = 0; warp < WARPS; warp++) {
            LANE_UNROLL
            for (int v = 0; v < COUNT; v++) {
                const real_acc part = shared_real(half + warp * a_share + v * LIMBS);
                sum[v] = warp == 0 ? part : acc_merge(sum[v], part);
            }
        }
    }

    /* Three sums over the team, the same bits in all threads. Half of a warp goes on with the third one, a quarter each with the others:
     * in a warp that is six additions instead of fifteen. */
    __device__ __forceinline__ void add_up(real_acc *sum)
    {
        const int lane = position % GPU_WARP, third = lane >= 16, second = !third && lane >= 8;
        const real_acc beside = acc_merge(sum[1], acc_of_other(sum[1], 16));
        real_acc a =
            acc_merge(real_select(third, sum[2], sum[0]), acc_of_other(real_select(third, sum[0], sum[2]), 16));
        a = acc_merge(real_select(second, beside, a), acc_of_other(real_select(third || second, a, beside), 8));
        LANE_UNROLL
        for (int with = 4; with > 0; with >>= 1)
            a = acc_merge(a, acc_of_other(a, with));
        exchange_sums<3>(sum, a, lane % 8 == 0 && lane < 24, lane / 8);
    }

    /* Two sums, half of a warp each. */
    __device__ __forceinline__ void add_up_two(real_acc *sum)
    {
        const int lane = position % GPU_WARP, second = lane >= 16;
        real_acc a =
            acc_merge(real_select(second, sum[1], sum[0]), acc_of_other(real_select(second, sum[0], sum[1]), 16));
        LANE_UNROLL
        for (int with = 8; with > 0; with >>= 1)
            a = acc_merge(a, acc_of_other(a, with));
        exchange_sums<2>(sum, a, lane % 16 == 0, second);
    }

    __device__ __forceinline__ real_acc add_up_one(real_acc sum)
    {
        group_sums<GPU_WARP, 1>(&sum);
        real_acc all[1];
        exchange_sums<1>(all, sum, position % GPU_WARP == 0, 0);
        return all[0];
    }

    /* ---- Columns in transit ---------------------------------------------------------------------------------------- */

    __device__ __forceinline__ void load(void)
    {
        int64_t plane;
        const double *from = job_column(job, problem, column, &plane);
        int size = 0;
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++) {
            double v[a_number] = {0.0};
            if (row(i) < job->rows) {
                LANE_UNROLL
                for (int q = 0; q < a_number; q++)
                    v[q] = from[q * plane + row(i)];
            }
            LANE_UNROLL
            for (int q = 0; q < a_number; q++) {
                const int high = gpu_high_word(v[q]) & 0x7fffffff;
                size = high > size ? high : size;
            }
            own[i] = num_of_limbs(v);
        }
        size = team_max(&mates, size);
        const int finite = size < 0x7ff00000, exponent = finite ? size_exponent(size) : 0;
        const pair power = scale_factors(exponent);
        double sum = 0.0;
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++) {
            double v[a_number];
            num_store(v, 1, own[i], 1);
            LANE_UNROLL
            for (int q = 0; q < a_number; q++)
                v[q] = finite ? lane_mul(lane_mul(v[q], power.x), power.y)
                              : 0.0; /* write numbers, because others wait for them */
            sum = lane_fma(v[LIMBS], v[LIMBS], lane_fma(v[0], v[0], sum));
            own[i] = num_of_limbs(v);
        }
        least = lane_mul(job->dependent, team_sum_double(&mates, sum));
        if (position == 0) {
            job->exponent[(int64_t)problem * job->all + column] = exponent;
            if (!finite)
                gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_NONFINITE);
        }
    }

    /* The inverse of the square norm of the column of the team; 0 if it depends on others. */
    __device__ __forceinline__ void publish_inverse(void)
    {
        const real total = acc_total(add_up_one(rows_square<ROWS>(own)));
        const int depends = !(real_head(total) > least);
        double v[LIMBS], *place = shared_columns + (column - first) * step;
        limbs_of_real(v, real_select(depends, real_set(0.0), inverse_near(total)));
        if (position != 0)
            return;
        if (column + 1 < first + columns) {
            place[tail] = v[0], place[tail + 1] = v[LIMBS - 1];
            gpu_barrier_arrive(done_inverse + (column - first));
        }
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_word_set(behind + q, v[q]);
        note_square(column, total, depends);
    }

    /* The column is final: publish it, to the others of the panel and to other blocks. */
    __device__ __forceinline__ void publish(void)
    {
        double *place = shared_columns + (column - first) * step;
        const int pivot = column < job->cols;
        if (pivot && column + 1 < first + columns) {
            LANE_UNROLL
            for (int i = 0; i < ROWS; i++) {
                double v[a_number];
                num_store(v, 1, own[i], 1);
                store_row(place, i, v);
            }
            if (!apart && position == 0)
                place[tail] = least;
            gpu_sync_warp();
            if (gpu_arrives(position % GPU_WARP))
                gpu_barrier_arrive(done + (column - first));
        }
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++) {
            double v[a_number];
            num_store(v, 1, own[i], 1);
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++)
                gpu_words_put(words[q] + 2 * threads * i, v[2 * q], v[2 * q + 1], row(i) < job->rows);
        }
        if constexpr (apart) {
            if (pivot)
                publish_inverse();
        } else if (pivot && position == 0)
            gpu_word_set(behind, least);
    }

    /* The courier fetches the columns before the panel into their places. There are no branches: threads below the last row read the
     * first one. */
    __device__ __forceinline__ void fetch(void) const
    {
        const double *from[LIMBS];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            from[q] = sent(q, 0, 0);
        for (int k = 0, slot = 0, parity = 1; k < first && k < job->cols; k++) {
            if (k >= slots)
                gpu_barrier_sleep(taken + slot, parity);
            double *place = places + slot * step, v[ROWS][a_number], bound = 0.0;
            for (int missing = 1; missing;) {
                missing = 0;
                LANE_UNROLL
                for (int i = 0; i < ROWS; i++) {
                    LANE_UNROLL
                    for (int q = 0; q < LIMBS; q++)
                        gpu_words_peek(from[q] + 2 * (row(i) < job->rows ? row(i) : 0), &v[i][2 * q], &v[i][2 * q + 1]);
                }
                if (!apart && position == 0)
                    bound = gpu_word_peek(job_beside(job, problem, k));
                LANE_UNROLL
                for (int i = 0; i < ROWS; i++) {
                    LANE_UNROLL
                    for (int q = 0; q < a_number; q++)
                        missing |= gpu_high_word(v[i][q]) == GPU_NOT_YET;
                }
                missing |= gpu_high_word(bound) == GPU_NOT_YET;
                if (missing)
                    gpu_pause();
            }
            LANE_UNROLL
            for (int i = 0; i < ROWS; i++) {
                LANE_UNROLL
                for (int q = 0; q < a_number; q++)
                    v[i][q] = row(i) < job->rows ? v[i][q] : 0.0;
                store_row(place, i, v[i]);
            }
            if (!apart && position == 0)
                place[tail] = bound;
            gpu_sync_warp();
            if (gpu_arrives(position % GPU_WARP))
                gpu_barrier_arrive(ready + slot);
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++)
                from[q] += 2 * PANEL_SENT_ROWS(job->rows);
            if (++slot == slots)
                slot = 0, parity ^= 1;
        }
    }

    /* The first thread of one more warp fetches the inverses for the columns before the panel. */
    __device__ __forceinline__ void fetch_inverses(void) const
    {
        for (int k = 0, slot = 0, parity = 1; k < first && k < job->cols; k++) {
            if (k >= slots)
                gpu_barrier_sleep(taken + slot, parity);
            double *place = places + slot * step, v[LIMBS];
            for (int missing = 1; missing;) {
                missing = 0;
                LANE_UNROLL
                for (int q = 0; q < LIMBS; q++) {
                    v[q] = gpu_word_peek(job_beside(job, problem, k) + q);
                    missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
                }
                if (missing)
                    gpu_pause();
            }
            place[tail] = v[0], place[tail + 1] = v[LIMBS - 1];
            gpu_barrier_arrive(ready_inverse + slot);
            if (++slot == slots)
                slot = 0, parity ^= 1;
        }
    }

    /* ---- Steps ------------------------------------------------------------------------------------------------------- */

    /* Removes column k, at a place in shared memory, from the column of the team. */
    __device__ __forceinline__ void take(int k, const double *place)
    {
        num pivot[ROWS];
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            pivot[i] = place_row(place, i);
        num_acc dot = num_acc_zero();
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            dot = num_acc_add_conj(dot, pivot[i], own[i]);
        real_acc sum[3] = {rows_square<ROWS>(pivot), dot.re, dot.im};
        add_up(sum);
        const real total = acc_total(sum[0]), zero = real_set(0.0);
        const int depends = !(real_head(total) > place[tail]);
        const num c = num_mul_real(cplx_make(acc_total(sum[1]), acc_total(sum[2])),
                                   real_select(depends, zero, settled(inverse_near(total))));
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            own[i] = num_rest(own[i], i < held ? pivot[i] : place_row(place, i), c);
        if (k + 1 == column)
            publish();
        if (position == 0) /* not together with the next condition, which would make it a branch */
            put_coefficient(k, c);
        if (position == 0 && k + 1 == column)
            note_square(k, total, depends);
    }

    /* The same if the inverse of its square norm arrives later. A right-hand side is published last: nobody waits for it, but for
     * its coefficients. (Where square norms are added up here, another condition for publishing makes the steps 8% longer.) */
    __device__ __forceinline__ void take_apart(int k, const double *place, gpu_barrier *inverse, int parity)
    {
        num pivot[ROWS];
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            pivot[i] = place_row(place, i);
        real_acc sum[2];
        rows_dot<ROWS>(pivot, own, sum);
        add_up_two(sum);
        gpu_barrier_sleep(inverse, parity);
        const num c = num_loose(sum[0], sum[1], shared_real(place + tail));
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            own[i] = rest_near(own[i], pivot[i], c);
        if (k == before)
            publish();
        if (position == 0)
            put_coefficient(k, num_settled(c));
    }

    /* Stores the finished column for the kernels that come after this one, for Q and R or to refine x. */
    __device__ __forceinline__ void keep(void) const
    {
        double *to = job->w + problem * job->w_step + (int64_t)column * job->rows;
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            if (row(i) < job->rows)
                num_store(to + row(i), job->w_plane, own[i], 1);
    }

    /* Runs all steps of the team. */
    __device__ __forceinline__ void work(void)
    {
        load();
        if (column == 0)
            publish();
        const int end = column < job->cols ? column : job->cols;
        int at = first > 0 ? 0 : slots, parity = 0; /* a place; those of the panel come last */
#pragma unroll 1
        for (int k = 0; k < end; k++) {
            gpu_barrier_sleep(ready + at, parity);
            if constexpr (apart)
                take_apart(k, places + at * step, ready_inverse + at, parity);
            else
                take(k, places + at * step);
            gpu_sync_warp();
            if (gpu_arrives(position % GPU_WARP))
                gpu_barrier_arrive(taken + at); /* in the panel nobody waits for it, but a branch would take longer */
            at++;
            if (k + 1 == first)
                at = slots, parity = 0;
            else if (at == slots)
                at = 0, parity ^= 1;
        }
        const int last = apart || job->all > job->cols ? job->cols : job->cols - 1;
        if (column >= last) {
            real_acc sum[3] = {rows_square<ROWS>(own), real_acc_zero(), real_acc_zero()};
            add_up(sum);
            const real total = acc_total(sum[0]);
            if (position == 0)
                note_square(column, total, column < job->cols && !(real_head(total) > least));
        }
        if (apart ? column >= job->cols : column > job->cols)
            publish();
        if (job->coefficients)
            keep();
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *given, int given_slots, int inverts)
    {
        gpu_previous_done();
        if (!inverts)
            gpu_next_may_begin(); /* back substitution, which waits */
        job = given;
        problem = gpu_block_y();
        slots = given_slots;
        columns = gpu_threads() / threads - 1;
        position = gpu_thread() % threads;
        places = gpu_shared();
        shared_columns = places + slots * step;
        double *exchange = shared_columns + columns * step;
        ready = (gpu_barrier *)(exchange + (columns * PANEL_EXCHANGE(LIMBS, WARPS) + 1) / 2 * 2);
        done = ready + slots;
        taken = done + columns;
        ready_inverse = taken + slots + columns;
        done_inverse = ready_inverse + slots;
        int32_t *number = (int32_t *)(apart ? done_inverse + columns : ready_inverse);
        const int which = gpu_thread() / threads;
        mates.lane = position;
        mates.warp = position / GPU_WARP;
        mates.barrier = 1 + which;
        mates.turn = 0;
        mates.exchange = exchange + which * PANEL_EXCHANGE(LIMBS, WARPS);
        if (gpu_thread() == 0)
            *number = gpu_fetch_add(job_flag(job, problem, MGS_TICKET), 1);
        gpu_sync();
        first = *number * columns;
        column = first + which;
        before = column < job->cols ? column - 1 : -1;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            words[q] = gpu_once(sent(q, column, position));
        behind = gpu_once(job_beside(job, problem, column));
        coefficients = gpu_once(job->c + problem * job->c_step + (int64_t)column * job->cols);
        const int there = job->all - first < columns ? job->all - first : columns;
        if (inverts && which == columns)
            mark_coefficients(job, problem, first, first + there, position, threads);
        for (int k = gpu_thread(); k < slots; k += gpu_threads()) {
            gpu_barrier_init(ready + k, gpu_arrivals(GPU_WARP) * WARPS);
            gpu_barrier_init(taken + k, gpu_arrivals(GPU_WARP) * WARPS * there);
        }
        for (int k = gpu_thread(); k < columns; k += gpu_threads()) {
            gpu_barrier_init(done + k, gpu_arrivals(GPU_WARP) * WARPS);
            gpu_barrier_init(taken + slots + k, gpu_arrivals(GPU_WARP) * WARPS * there);
        }
        for (int k = gpu_thread(); apart && k < slots + columns; k += gpu_threads())
            gpu_barrier_init(ready_inverse + k, 1);
        gpu_sync();
        if (apart && gpu_thread() >= (columns + 1) * threads) {
            if (gpu_thread() % GPU_WARP == 0)
                fetch_inverses();
        } else if (which == columns) {
            if (inverts) { /* the next kernel, which waits for coefficients, must find them marked */
                gpu_fence();
                gpu_sync_some(mates.barrier, threads);
                if (position == 0)
                    gpu_next_may_begin();
            }
            fetch();
        } else if (column < job->all)
            work();
    }
};

#else
template <int WARPS, int ROWS> struct panel {
    __device__ void run(const mgs_gpu_job *, int, int)
    {
    }
};
#endif

#else

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)
#include "backend/cuda/lsq/panel/quad.h"
template <int WARPS, int HELD> struct panel {
    __device__ __forceinline__ void run(const mgs_gpu_job *given, int along, int)
    {
        panel_quad_run<WARPS, HELD>(given, along);
    }
};
#else
template <int WARPS, int> struct panel {
    __device__ void run(const mgs_gpu_job *, int, int)
    {
    }
};
#endif

#endif

#define PANEL_KERNELS REAL_JOIN(PANEL_KERNELS_, PLUMB_LIMBS)

#define PANEL_KERNEL(warps, rows, threads, columns)                                                         \
    static __global__ void __launch_bounds__(threads, 1)                                                    \
        panel_##warps##_##rows(const __grid_constant__ mgs_gpu_job job, const int slots, const int inverts) \
    {                                                                                                       \
        panel<warps, rows> work;                                                                            \
        work.run(&job, slots, inverts);                                                                     \
    }
PANEL_KERNELS(PANEL_KERNEL)

static const struct panel_entry {
    int32_t team, rows;
    const void *kernel;
} entries[] = {
#define PANEL_ENTRY(warps, rows, threads, columns) {32 * (warps), rows, (const void *)panel_##warps##_##rows},
    PANEL_KERNELS(PANEL_ENTRY)};

#if PLUMB_LIMBS < 4
#define PANEL_INVERSES REAL_JOIN(PANEL_INVERSES_, PLUMB_LIMBS)

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)
#define PANEL_INVERT(chunks, rows)          \
    inverse_rows<chunks, rows, false> work; \
    work.run(&job)
#else
#define PANEL_INVERT(chunks, rows)
#endif
#define PANEL_INVERSE(chunks, rows)                                            \
    static __global__ void __launch_bounds__(INVERSE_THREADS(chunks, rows), 1) \
        inverse_##chunks(const __grid_constant__ mgs_gpu_job job)              \
    {                                                                          \
        PANEL_INVERT(chunks, rows);                                            \
    }
PANEL_INVERSES(PANEL_INVERSE)

static const struct inverse_entry {
    int32_t chunks, rows;
    const void *kernel;
} inverses[] = {
#define PANEL_INVERSE_ENTRY(chunks, rows) {chunks, rows, (const void *)inverse_##chunks},
    PANEL_INVERSES(PANEL_INVERSE_ENTRY)};

/* Launches the kernel that finds x, beside the panels. */
static cudaError_t invert(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    mgs_gpu_job value = *job;
    void *arguments[] = {&value};
    for (const inverse_entry &e : inverses) {
        const size_t shared = (size_t)INVERSE_ROOM(PLUMB_LIMBS, e.chunks) * 8;
        const dim3 grid((unsigned)((job->cols + e.rows - 1) / e.rows), (unsigned)job->batch);
        if (job->cols > GPU_WARP * e.chunks)
            continue;
        const cudaError_t error =
            cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        return error != cudaSuccess ? error
                                    : gpu_launch(e.kernel, grid, (unsigned)INVERSE_THREADS(e.chunks, e.rows), shared,
                                                 plan->early, arguments, stream);
    }
    return cudaErrorInvalidDeviceFunction;
}
#else
static cudaError_t invert(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}
#endif

static cudaError_t start(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    mgs_gpu_job value = *job;
    int slots = PLUMB_LIMBS == 4 ? panel_solves(job, plan) : plan->slots, inverts = panel_inverts(job, plan);
    void *arguments[] = {&value, &slots, &inverts};
    const unsigned panels = (unsigned)((job->all + plan->columns - 1) / plan->columns);
    for (const panel_entry &e : entries)
        if (e.team == plan->team && e.rows == plan->share) {
            cudaError_t error =
                cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan->shared);
            if (error == cudaSuccess)
                error = mark_words(job, plan, PARTS * LIMBS * job->w_plane, stream);
            if (error == cudaSuccess)
                error = gpu_launch(e.kernel, dim3(panels, (unsigned)job->batch), plan->threads, plan->shared,
                                   plan->early, arguments, stream);
            if (error == cudaSuccess && inverts)
                error = invert(job, plan, stream);
            return error;
        }
    return cudaErrorInvalidDeviceFunction;
}

#else

static cudaError_t start(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}

#endif

extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_end)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream);

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_panel)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    cudaError_t error = start(job, plan, stream);
    if (error == cudaSuccess && !panel_solves(job, plan) && !panel_inverts(job, plan))
        error = NUM_NAME(plumb_cuda_mgs_flow_end)(job, plan, stream);
    return mgs_say(error, message, message_size);
}
