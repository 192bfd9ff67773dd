/* quad.h - the panels of qd: one column per block, in registers, one or both parts of one row per thread.
 *
 * Entries are digits on a grid (digits.h). A column starts with a norm of at most 1 there, and errors count relative to
 * that. A finished column is multiplied by the power of two that brings its square norm to [1/4, 1), so that it has all
 * its digits again as a factor (digit_column.h).
 *
 * Every thread polls the row it needs of the next column in global memory itself until all its words are written
 * (GPU_NOT_YET), in pairs; nothing of a column passes through shared memory. The inverse of its square norm, which comes later,
 * is fetched by one more warp, the courier, which does nothing else. It meets the team at the barrier of its sum, so that
 * the team need not look for it.
 *
 * With more than 128 rows a thread has both parts of its row, and two columns take turns on a multiprocessor. There are no
 * followers then, and back substitution comes afterwards (flow/relay.h). The courier stores the coefficients.
 *
 * Followers, with up to 128 rows, make back substitution unnecessary. Every column has an origin (small/origin.h): the combination of the
 * given columns of A that it has become. In each step the followers of a block apply the operation on the column to
 * the origin, with the same coefficient, while the other warps wait for the next column; origins go from block to
 * block as columns do. The origin of a right-hand side ends as -x. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_QUAD_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_QUAD_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/digit_column.h"
#include "backend/cuda/lsq/panel/panel.h"

/* A block: its column, and what its warps leave for each other in shared memory. */
struct quad_block {
    static const int inverse_words = QUAD_DIGITS + 1;
    enum { team_barrier = 1, follower_barrier, courier_barrier };

    const mgs_gpu_job *job;
    int problem, column, steps;   /* steps: columns that are removed from it */
    int along;                    /* whether there are origins */
    double *inverses;             /* of the square norms of columns: inverse_words for each, the last one its power */
    double *coefficients, *about; /* of the steps; of the column: exponent, whether it is finite */
    double *left;                 /* without origins: digits of the coefficients of the last two steps */
    gpu_barrier *coefficient_ready;

    /* Where the digits of a part of the coefficient of step k are. */
    __device__ __forceinline__ double *left_at(int k, int part) const
    {
        return left + (k % 2 * PARTS + part) * PANEL_QUAD_LEFT;
    }
};

/* A row as a thread has read it, real part first: limbs of an origin, digits of a column. */
template <int WORDS> struct found_row {
    double v[PARTS * WORDS];

    __device__ __forceinline__ digits number(int part) const
    {
        digits a;
        LANE_UNROLL
        for (int q = 0; q < DIGITS; q++)
            a.v[q] = v[part * DIGITS + q];
        return a;
    }

    /* True if a thread of the warp is still missing words. */
    __device__ __forceinline__ int missing(void) const
    {
        uint32_t most = 0; /* the mark is the largest unsigned number */
        LANE_UNROLL
        for (int q = 0; q < PARTS * WORDS; q++) {
            const uint32_t high = (uint32_t)gpu_high_word(v[q]);
            most = high > most ? high : most;
        }
        return gpu_any(most == (uint32_t)GPU_NOT_YET);
    }
};

/* ---- Followers -------------------------------------------------------------------------------------------------------- */

/* A thread has SHARE entries of the origin. */
template <int WARPS, int SHARE> struct follower : quad_block {
    static const int threads = GPU_WARP * WARPS, rows_apart = threads / PARTS;

    team<threads> mates;
    double *words; /* of this thread's first row, of the origin of column 0 */
    real origin[SHARE];

    __device__ __forceinline__ int row(int i) const
    {
        return mates.lane / PARTS + rows_apart * i;
    }

    /* Where a pair of limbs of row(i) of the origin of column k is. */
    __device__ __forceinline__ double *pair_of(int k, int i, int which) const
    {
        return words + 2 * (which * job->c_plane + (int64_t)k * job->cols + rows_apart * i);
    }

    __device__ __forceinline__ void look(int k, int i, found_row<LIMBS> *f) const
    {
        LANE_UNROLL
        for (int q = 0; q < PARTS * LIMBS; q++)
            f->v[q] = 0.0;
        LANE_UNROLL
        for (int p = 0; row(i) <= k && p < PARTS * LIMBS / 2; p++)
            gpu_words_peek(pair_of(k, i, p), f->v + 2 * p, f->v + 2 * p + 1);
    }

    __device__ __forceinline__ void await(int k, int i, found_row<LIMBS> *f) const
    {
        look(k, i, f);
        while (f->missing()) {
            gpu_pause();
            look(k, i, f);
        }
    }

    /* True if one of the i-th rows of this warp is not zero in the origin of column k. */
    __device__ __forceinline__ int reaches(int i, int k) const
    {
        return mates.warp * (GPU_WARP / PARTS) + rows_apart * i <= k;
    }

    /* The origin is final: publish it. */
    __device__ __forceinline__ void publish(void)
    {
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++) {
            double v[LIMBS];
            limbs_of_real(v, origin[i]);
            LANE_UNROLL
            for (int q = 0; row(i) <= column && q < LIMBS; q += 2)
                gpu_words_set(pair_of(column, i, (mates.lane % PARTS * LIMBS + q) / 2), v[q], v[q + 1]);
        }
    }

    /* Runs all steps. */
    __device__ __forceinline__ void work(void)
    {
        const int part = mates.lane % PARTS;
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            origin[i] = real_set(column < job->cols && row(i) == column && part == 0 ? 1.0 : 0.0);
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            found_row<LIMBS> f[SHARE];
            LANE_UNROLL
            for (int i = 0; i < SHARE; i++)
                if (reaches(i, k))
                    await(k, i, &f[i]);
            gpu_barrier_sleep(coefficient_ready + k, 0);
            const double *from = coefficients + k * PARTS * LIMBS;
            const real c = real_of_limbs(from + part * LIMBS),
                       minus = real_flip(real_of_limbs(from + (1 - part) * LIMBS), sign_of(part) ^ (int)0x80000000u);
            LANE_UNROLL
            for (int i = 0; i < SHARE; i++)
                if (reaches(i, k))
                    origin[i] = qd_rest_2(origin[i], c, real_of_limbs(f[i].v), minus, real_of_limbs(f[i].v + LIMBS), 1);
        }
        if (column < job->cols)
            publish();
    }

    /* The exponent of column k, stored by its block. */
    __device__ __forceinline__ int exponent_of(int k) const
    {
        const double *word = job_beside(job, problem, k) + PANEL_QUAD_EXPONENT;
        double found = gpu_word_peek(word);
        while (gpu_high_word(found) == GPU_NOT_YET) {
            gpu_pause();
            found = gpu_word_peek(word);
        }
        return (int)found;
    }

    /* For the block of the only right-hand side, after all its threads have synchronised after the last step:
     * computes x, residual and outcome. */
    __device__ __forceinline__ void finish(void)
    {
        const int n = job->cols, exponent = (int)about[0];
        const real zero = real_set(0.0);
        int failed = about[1] != 0.0 ? 0 : MGS_NONFINITE, fits = 1, exponents[SHARE];
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++) {
            exponents[i] = row(i) < n ? exponent_of(row(i)) : 0;
            const int wrong = row(i) >= n                               ? 0
                              : exponents[i] == BESIDE_NONFINITE        ? MGS_NONFINITE
                              : inverses[row(i) * inverse_words] == 0.0 ? MGS_DEPENDENT - row(i)
                                                                        : 0;
            failed = wrong > failed ? wrong : failed;
        }
        gpu_sync_warp();
        failed = team_max(&mates, failed);
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            origin[i] = failed || row(i) >= n
                            ? zero
                            : scaled(real_flip(origin[i], (int)0x80000000u), exponent - exponents[i], &fits);
        real norm = zero;
        if (mates.lane == 0 && !failed)
            norm = scaled(real_sqrt(real_load(job->s + problem * job->s_step + n, job->all, 1)), exponent, &fits);
        gpu_sync_warp();
        const int beyond = team_max(&mates, !fits);
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            if (row(i) < n)
                real_store(result_at(&job->x, problem, row(i), 0, mates.lane % PARTS), job->x.plane,
                           beyond ? zero : origin[i], 1);
        if (mates.lane != 0)
            return;
        if (job->residual.data)
            real_store(result_at(&job->residual, problem, 0, 0, 0), job->residual.plane, beyond ? zero : norm, 1);
        put_info(job->info + problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
    }
};

/* ---- The team that has the column -------------------------------------------------------------------------- */

/* HELD: the parts of a row that a thread has, 1 or 2. With one, it is the part lane % 2, and the neighbour has the other. */
template <int WARPS, int HELD> struct panel_quad : quad_block {
    static const int threads = GPU_WARP * WARPS;

    int used, there; /* entries of a column, whether this thread has one */
    int shift;       /* entries are multiplied by this power of two */
    team<threads> mates;
    double *words;            /* of this thread's row of column 0 */
    double least;             /* the square norm of an independent column is larger */
    double bound, reference;  /* of the square norm: an upper bound, and what it was when it was last added up */
    digits own[HELD], beside; /* beside: the other part, if a neighbour has it */

    /* The part of its row that is a thread's p-th. */
    __device__ __forceinline__ int part_of(int p) const
    {
        return HELD == PARTS ? p : mates.lane % PARTS;
    }

    /* a for the real part, -a for the imaginary part */
    __device__ __forceinline__ digits with_sign(int p, digits a) const
    {
        if constexpr (HELD < PARTS)
            return digits_flip(a, sign_of(mates.lane));
        return p == 0 ? a : digits_neg(a); /* known to the compiler, and done by the operation that uses it */
    }

    /* Where a pair of digits of this thread's row of column k is: digits 0 and 1 of the real part, 2 and 3, the same of the
     * imaginary part, and digit 4 of both. */
    __device__ __forceinline__ double *pair_of(int k, int which) const
    {
        return words + 2 * (which * job->w_plane + (int64_t)k * job->rows);
    }

    /* Reads the row of column k that this thread needs. */
    __device__ __forceinline__ void look(int k, found_row<DIGITS> *f) const
    {
        LANE_UNROLL
        for (int q = 0; q < PARTS * DIGITS; q++)
            f->v[q] = 0.0;
        if (!there)
            return;
        LANE_UNROLL
        for (int part = 0; part < PARTS; part++) {
            double *row = f->v + part * DIGITS;
            gpu_words_peek(pair_of(k, 2 * part), row, row + 1);
            gpu_words_peek(pair_of(k, 2 * part + 1), row + 2, row + 3);
        }
        gpu_words_peek(pair_of(k, 2 * PARTS), f->v + DIGITS - 1, f->v + 2 * DIGITS - 1);
    }

    /* Where two columns take turns on a multiprocessor, later ones have to catch up: they ask for the next column before it is
     * needed. Otherwise that is too early, and asking again takes longer than asking late. */
    static const bool asks_early = HELD == PARTS;

    __device__ __forceinline__ void await(int k, found_row<DIGITS> *f) const
    {
        if (!asks_early)
            look(k, f);
        while (f->missing()) {
            gpu_pause();
            look(k, f);
        }
    }

    /* A share in a sum over the team, whose biases have been subtracted: it carries if there are many. */
    static __device__ __forceinline__ level_sum settled_share(level_sum sum)
    {
        return HELD * threads > ENTRIES_EXACT ? digits_levels(digits_carry(sum)) : sum;
    }

    /* Like team_sum<FROM>, for each part by itself or both together. With the courier, it takes part in the barrier once it
     * has the inverse of the step. */
    template <int FROM> __device__ __forceinline__ level_sum sum_over_team(level_sum sum, bool with_courier)
    {
        int level;
        const double mine = warp_scatter<FROM>(sum, mates.lane % GPU_WARP, &level);
        const int part = FROM == PARTS ? mates.lane % PARTS : 0;
        double *half = team_turn(&mates);
        if (level >= 0)
            half[mates.warp * EXCHANGE + part * SLICES + level] = mine;
        if (with_courier)
            gpu_sync_some(courier_barrier, threads + GPU_WARP);
        else
            gpu_sync_some(team_barrier, threads);
        const double *from = half + part * SLICES;
        sum = digits_levels(digits_at(from));
        LANE_UNROLL
        for (int w = 1; w < WARPS; w++) {
            const digits more = digits_at(from + w * EXCHANGE);
            LANE_UNROLL
            for (int q = 0; q < DIGITS; q++)
                sum.v[q] = lane_add(sum.v[q], more.v[q]);
        }
        return sum;
    }

    /* The sums of both parts in two neighbours: even threads go on with the real part, odd ones with the imaginary part. */
    __device__ __forceinline__ level_sum by_part(const level_sum *sum) const
    {
        if constexpr (HELD < PARTS)
            return digits_end(sum[0]);
        const int odd = mates.lane % PARTS;
        const level_sum re = digits_end(sum[0]), im = digits_end(sum[HELD - 1]);
        level_sum r;
        LANE_UNROLL
        for (int q = 0; q < DIGITS; q++)
            r.v[q] = lane_add(odd ? im.v[q] : re.v[q], gpu_shuffle_xor(odd ? re.v[q] : im.v[q], 1));
        return r;
    }

    /* Removes column k from the column of the team. */
    __device__ __forceinline__ void take(int k, found_row<DIGITS> *f)
    {
        await(k, f);
        const int next = k + 1 == column, last = next && column == job->cols, odd = mates.lane % PARTS;
        const digits re = f->number(0), im = f->number(1);
        if (asks_early && k + 1 < column)
            look(k + 1, f);
        level_sum sum[HELD];
        LANE_UNROLL
        for (int p = 0; p < HELD; p++) {
            sum[p] = digits_start();
            digits_take_two(&sum[p], re, own[p], im, with_sign(p, HELD == PARTS ? own[HELD - 1 - p] : beside));
        }
        const digits total = digits_carry(sum_over_team<PARTS>(settled_share(by_part(sum)), true));
        const digits c = digits_product(total, digits_at(inverses + k * inverse_words));
        LANE_UNROLL
        for (int p = 0; p < HELD; p++)
            sum[p] = digits_start(own[p]);
        const digits other = digits_of_neighbour(c);
        LANE_UNROLL
        for (int p = 0; p < HELD; p++) {
            const digits mine = HELD == PARTS ? digits_select(odd == p, c, other) : c,
                         across = HELD == PARTS ? digits_select(odd == p, other, c) : other;
            digits_take_two(&sum[p], digits_neg(mine), re, with_sign(p, across), im);
        }
        bound = bound_after(bound, digits_two(total), digits_two(c));
        LANE_UNROLL
        for (int p = 0; p < HELD; p++)
            sum[p] = digits_end(sum[p]);
        if (bound_is_loose(bound, reference))
            renew_bound(sum);
        if (next)
            publish(sum);
        else {
            LANE_UNROLL
            for (int p = 0; p < HELD; p++)
                own[p] = digits_carry(sum[p]);
            if (HELD < PARTS)
                beside = digits_of_neighbour(own[0]);
        }
        if (last)
            leave_coefficient(k, c);
        if (next)
            publish_inverse();
        if (!last)
            leave_coefficient(k, c);
    }

    /* The bound of the square norm by adding up leading bits; all threads of the team have the same. */
    __device__ __forceinline__ void renew_bound(const level_sum *rest)
    {
        double square = 0.0;
        LANE_UNROLL
        for (int p = 0; p < HELD; p++) {
            const double head = digits_head(digits_carry(rest[p]));
            square = p == 0 ? lane_mul(head, head) : lane_fma(head, head, square);
        }
        bound = reference = lane_mul(team_sum_double(&mates, square), 1.0 + 0x1p-40);
    }

    /* The column is final: publish it. */
    __device__ __forceinline__ void publish(const level_sum *rest)
    {
        const int by = shift_for(bound);
        LANE_UNROLL
        for (int p = 0; p < HELD; p++)
            own[p] = digits_shifted(rest[p], by);
        if (there) {
            LANE_UNROLL
            for (int p = 0; p < HELD; p++) {
                const int part = part_of(p);
                gpu_words_set(pair_of(column, 2 * part), own[p].v[0], own[p].v[1]);
                gpu_words_set(pair_of(column, 2 * part + 1), own[p].v[2], own[p].v[3]);
                gpu_word_set(pair_of(column, 2 * PARTS) + part, own[p].v[4]);
            }
        }
        shift += by;
    }
    __device__ __forceinline__ void publish_loaded(void)
    {
        level_sum levels[HELD];
        LANE_UNROLL
        for (int p = 0; p < HELD; p++)
            levels[p] = digits_levels(own[p]);
        publish(levels);
    }

    __device__ __forceinline__ void leave_coefficient(int k, digits c)
    {
        if (!along) {
            if (mates.lane < PARTS) {
                LANE_UNROLL
                for (int q = 0; q < DIGITS; q++)
                    left_at(k, mates.lane)[q] = c.v[q];
            }
            return;
        }
        if (mates.warp > 0)
            return;
        const real value = digits_value(c, inverses[k * inverse_words + PANEL_QUAD_POWER]);
        if (mates.lane < PARTS)
            limbs_of_real(coefficients + (k * PARTS + mates.lane) * LIMBS, value);
        gpu_sync_warp();
        if (gpu_arrives(mates.lane))
            gpu_barrier_arrive(coefficient_ready + k);
    }

    /* After the column comes the inverse of its square norm. */
    __device__ __forceinline__ void publish_inverse(void)
    {
        level_sum sum = digits_start();
        LANE_UNROLL
        for (int p = 0; p < HELD; p++)
            digits_take_square(&sum, own[p]);
        real square;
        const digits inverse = square_inverse(sum_over_team<1>(settled_share(digits_end(sum)), false), &square);
        square = real_times(square, digit_power(-2 * shift));
        const int pivot = column < job->cols, depends = pivot && !(real_head(square) > least);
        if (mates.lane == 0) {
            double *to = job_beside(job, problem, column) + PANEL_QUAD_INVERSE;
            LANE_UNROLL
            for (int q = 0; pivot && q < DIGITS; q++)
                gpu_word_set(to + q, depends ? 0.0 : inverse.v[q]);
            if (pivot)
                gpu_word_set(to + PANEL_QUAD_POWER, digit_power(shift + digit_headroom(used)));
            real_store(job->s + problem * job->s_step + column, job->all, square, 1);
            if (depends && !along)
                gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_DEPENDENT - column);
        }
        if (!along && there) { /* for those who want the columns */
            LANE_UNROLL
            for (int p = 0; p < HELD; p++)
                real_store(job->w + problem * job->w_step + part_of(p) * LIMBS * job->w_plane +
                               (int64_t)column * job->rows + mates.lane * HELD / PARTS,
                           job->w_plane, digits_value(own[p], digit_power(-shift)), 1);
        }
        gpu_sync_warp();
    }

    __device__ __forceinline__ void load(void)
    {
        int64_t plane;
        const double *from = job_column(job, problem, column, &plane);
        double v[HELD][LIMBS] = {{0.0}};
        int size = 0;
        LANE_UNROLL
        for (int p = 0; p < HELD; p++) {
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                if (there)
                    v[p][q] = from[(part_of(p) * LIMBS + q) * plane + mates.lane * HELD / PARTS];
                const int high = gpu_high_word(v[p][q]) & 0x7fffffff;
                size = high > size ? high : size;
            }
        }
        size = team_max(&mates, size);
        const int finite = size < 0x7ff00000, exponent = finite ? size_exponent(size) : 0;
        const pair power = scale_factors(exponent);
        double square = 0.0;
        shift = -digit_headroom(used);
        LANE_UNROLL
        for (int p = 0; p < HELD; p++) {
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++)
                v[p][q] = finite ? lane_mul(lane_mul(v[p][q], power.x), power.y)
                                 : 0.0; /* write numbers, because others wait for them */
            square = p == 0 ? lane_mul(v[p][0], v[p][0]) : lane_fma(v[p][0], v[p][0], square);
            own[p] = digits_of(real_times(real_of_limbs(v[p]), digit_power(-digit_headroom(used))), 0);
        }
        square = team_sum_double(&mates, square);
        if (HELD < PARTS)
            beside = digits_of_neighbour(own[0]);
        least = lane_mul(job->dependent, square);
        bound = reference = lane_mul(lane_mul(square, 1.0 + 0x1p-40), digit_power(2 * shift));
        if (mates.lane == 0) {
            about[0] = exponent, about[1] = finite;
            job->exponent[(int64_t)problem * job->all + column] = exponent;
            gpu_word_set(job_beside(job, problem, column) + PANEL_QUAD_EXPONENT,
                         (double)(finite ? exponent : BESIDE_NONFINITE));
            if (!finite && !along)
                gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_NONFINITE);
        }
        gpu_sync_warp();
    }

    /* Runs all steps of the team. */
    __device__ __forceinline__ void work(void)
    {
        load();
        if (column == 0) {
            publish_loaded();
            publish_inverse();
        }
        found_row<DIGITS> f;
        if (asks_early && steps > 0)
            look(0, &f);
#pragma unroll 1
        for (int k = 0; k < steps; k++)
            take(k, &f);
        if (!along && steps > 0)
            gpu_sync_some(courier_barrier, threads + GPU_WARP);
        if (column > job->cols) {
            publish_loaded();
            publish_inverse();
        }
    }
};

/* Stores the coefficient of step k, where there are no origins. */
GPU_FN void quad_store_coefficient(const quad_block *block, int k)
{
    const mgs_gpu_job *job = block->job;
    const int part = gpu_thread() % GPU_WARP;
    if (part < PARTS)
        real_store(job->c + block->problem * job->c_step + part * LIMBS * job->c_plane +
                       (int64_t)block->column * job->cols + k,
                   job->c_plane,
                   digits_value(digits_at(block->left_at(k, part)),
                                block->inverses[k * block->inverse_words + PANEL_QUAD_POWER]),
                   1);
    gpu_sync_warp();
}

/* The courier fetches the inverses of square norms as they become ready, and meets the team in each step. Without origins it
 * stores the coefficient of the step before then, which takes too long for the team. */
template <int WARPS> GPU_FN void quad_fetch(const quad_block *block)
{
    const int lane = gpu_thread() % GPU_WARP, words = block->inverse_words;
    for (int k = 0; k < block->steps; k++) {
        const double *from = job_beside(block->job, block->problem, k) + PANEL_QUAD_INVERSE + lane % words;
        double word = gpu_word_peek(from);
        while (gpu_any(gpu_high_word(word) == GPU_NOT_YET)) {
            gpu_pause();
            word = gpu_word_peek(from);
        }
        if (lane < words)
            block->inverses[k * words + lane] = word;
        gpu_sync_warp();
        gpu_sync_some(block->courier_barrier, GPU_WARP * (WARPS + 1));
        if (!block->along && k > 0)
            quad_store_coefficient(block, k - 1);
    }
    if (!block->along && block->steps > 0) {
        gpu_sync_some(block->courier_barrier, GPU_WARP * (WARPS + 1));
        quad_store_coefficient(block, block->steps - 1);
    }
}

template <class TEAM> GPU_FN void quad_team(TEAM *team, int first_thread, double *exchange, int barrier)
{
    team->mates.lane = gpu_thread() - first_thread;
    team->mates.warp = team->mates.lane / GPU_WARP;
    team->mates.barrier = barrier;
    team->mates.turn = 0;
    team->mates.exchange = exchange;
}

/* Shared memory: PANEL_QUAD_ROOM. */
template <int WARPS, int HELD> GPU_FN void panel_quad_run(const mgs_gpu_job *job, int along)
{
    const int follower_warps = PANEL_QUAD_FOLLOWERS(WARPS, HELD), exchange = 2 * WARPS * EXCHANGE, n = job->cols;
    quad_block block;
    block.job = job;
    block.problem = gpu_block_y();
    block.along = along;
    block.inverses = gpu_shared();
    block.coefficients = block.inverses + n * block.inverse_words;
    block.about = block.coefficients + n * PARTS * LIMBS;
    block.left = block.about + 2;
    double *room = block.left + 2 * PARTS * PANEL_QUAD_LEFT;
    block.coefficient_ready = (gpu_barrier *)(room + 2 * exchange);
    int32_t *number = (int32_t *)(block.coefficient_ready + n);
    for (int k = gpu_thread(); k < n; k += gpu_threads())
        gpu_barrier_init(block.coefficient_ready + k, gpu_arrivals(GPU_WARP));
    gpu_previous_done();
    gpu_next_may_begin();
    if (gpu_thread() == 0)
        *number = gpu_fetch_add((int32_t *)(job_beside(job, block.problem, 0) + PANEL_QUAD_TICKET), 1) + 1;
    gpu_sync();
    block.column = *number;
    block.steps = block.column < n ? block.column : n;
    const int solves = along && block.column == n;
    if (gpu_thread() < GPU_WARP * WARPS) {
        panel_quad<WARPS, HELD> team;
        (quad_block &)team = block;
        quad_team(&team, 0, room, block.team_barrier);
        team.used = job->rows * PARTS;
        team.there = gpu_thread() * HELD < team.used;
        team.words =
            job_beside(job, block.problem, job->all) + PARTS * LIMBS * job->c_plane + gpu_thread() * HELD / PARTS * 2;
        team.work();
    } else if (gpu_thread() >= GPU_WARP * (WARPS + follower_warps))
        quad_fetch<WARPS>(&block);
    else if constexpr (follower_warps > 0) {
        if (along) {
            follower<follower_warps, WARPS / follower_warps> team;
            (quad_block &)team = block;
            quad_team(&team, GPU_WARP * WARPS, room + exchange, block.follower_barrier);
            team.words = job_beside(job, block.problem, job->all) + team.mates.lane / PARTS * 2;
            team.work();
            if (solves) {
                gpu_sync();
                team.finish();
            }
            return;
        }
    }
    if (solves)
        gpu_sync();
}

#endif
