/* mgs_small.cu - least squares for a small system in one launch: a block per problem, or a cluster of blocks, with
 * its columns in shared memory.
 *
 * TEAM threads share a column. Column j belongs to block j % cluster, and there to team (j / cluster) % teams. There
 * is no barrier over all threads in a step: the team that has finished column k + 1 sends it to every block of the
 * cluster, to a slot of shared memory where a barrier counts the arriving bytes; the other teams, which have
 * meanwhile continued with their own columns, read it there. The critical path of a step is therefore the work on one
 * column: multiply, sum, remove, send. In d and dd every team adds up the square norm of column k for itself, beside
 * its own product; in qd, where that is expensive, the team that sent the column sends the inverse after it. In qd entries
 * are digits on a grid (digit_column.h).
 *
 * Invariants of the slots: a block sends a column at least every `cluster` steps, having taken all columns before it,
 * and its teams meet at the end of each step. When column k + 1 is sent, no team reads a column before k - cluster
 * any more, so cluster + 2 slots suffice. Where there is no room for these, the blocks of the cluster meet every
 * slots - 2 steps. A cluster of one block reads the columns where they are: its slots are the columns themselves. */
#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/small/small.h"

#if PLUMB_PARTS == 1 || PLUMB_LIMBS > 1

#if __CUDA_ARCH__ >= 900 || defined(PLUMB_EMULATED_GPU)

#if PLUMB_LIMBS == 4
#include "backend/cuda/lsq/digit_column.h"
#include "backend/cuda/lsq/small/origin.h"
#else
struct origins {
    static const bool along = false;
    static constexpr double *found = nullptr;
};
#endif

/* The state of a thread, and its operations. */
template <int TEAM, bool CLUSTER> struct small {
    static const int teams_a_warp = TEAM < GPU_WARP ? GPU_WARP / TEAM : 1;
    static const bool sends_inverse = LIMBS == 4; /* the inverse of a square norm follows its column */

    int problem, cols, all;
    int used, share;           /* entries of a column; entries per thread, the last ones zero */
    int cluster, rank;         /* blocks of the problem, number of this one */
    int slots;                 /* slots for columns of A in transit */
    int locals, step;          /* columns of this block; doubles from one to the next */
    int teams, own, first;     /* teams of a block, number of this one, of the first one of this warp */
    double *columns;           /* in shared memory: the columns of this block, */
    double *received;          /* the slots for columns of all blocks (cluster only), */
    double *least;             /* below which square norm each column counts as dependent, see SMALL_BESIDE, */
    double *kept;              /* and in block 0 the coefficients, or NULL */
    origins origin;            /* what goes along with the columns in qd, see origin.h */
    gpu_barrier *column_ready; /* of each slot: all entries of its column have arrived */
    gpu_barrier *inverse_ready;
    gpu_barrier *column_written; /* the column that is finished next may be sent by other teams */
    int32_t *outcome;
    double *c, *s; /* in global memory, of this problem and thread's part; c is NULL where the kept ones are enough */
    int64_t c_plane;
    gpu_remote there, leader; /* block thread % cluster, and block 0 */
    team<TEAM> mates;         /* the threads that share a column */

    /* Behind the entries of a column: for each warp of its team the size it found, and the least square norm of an independent
     * column; in qd the digits of the inverse of its square norm, and the power of two it was multiplied by. */
    __device__ __forceinline__ int tail(void) const
    {
        return TEAM * share * SMALL_WORDS(LIMBS);
    }
    __device__ __forceinline__ int power_at(void) const
    {
        return tail() + SMALL_WORDS(LIMBS);
    }
    /* In qd, what the square norm of a column was at first, and the bound of it that this warp has. */
    __device__ __forceinline__ double *norm_at_first(int local) const
    {
        return least + locals + local;
    }
    __device__ __forceinline__ double *norm_bound(int local) const
    {
        return least + 2 * locals + local * mates.warps + mates.warp;
    }
    __device__ __forceinline__ double *column_at(int local) const
    {
        return columns + local * step;
    }
    __device__ __forceinline__ int number(int local) const
    {
        return CLUSTER ? local * cluster + rank : local;
    }
    __device__ __forceinline__ int column_bytes(void) const
    {
        return (tail() + (LIMBS == 4 ? 0 : 2 * mates.warps)) * 8;
    }

    /* In qd the other teams of the block send the entries of a column, so that its own goes on with the inverse. */
    __device__ __forceinline__ bool others_send(void) const
    {
        return CLUSTER && sends_inverse && teams > 1;
    }

    /* ---- Beginning --------------------------------------------------------------------------------------------------- */

    __device__ __forceinline__ void place(const mgs_gpu_job *job, const small_shape *shape)
    {
        int thread = gpu_thread();
        cluster = CLUSTER ? shape->cluster : 1;
        rank = CLUSTER ? gpu_cluster_rank() : 0;
        problem = gpu_block() / cluster;
        slots = shape->slots;
        share = shape->share;
        cols = job->cols, all = job->all;
        used = job->rows * PARTS;
        locals = (all + cluster - 1) / cluster;
        step = SMALL_COLUMN_STEP(LIMBS, TEAM, share);
        teams = gpu_threads() / TEAM;
        own = thread / TEAM;
        first = thread / GPU_WARP * GPU_WARP / TEAM;
        mates.lane = thread % TEAM;
        mates.warp = mates.lane / GPU_WARP;
        mates.turn = 0;
        mates.barrier = own + 1;
        columns = gpu_shared();
        received = columns + (locals + teams_a_warp - 1) * step;
        least = received + (CLUSTER ? slots * step : 0);
        double *room = least + (locals * SMALL_BESIDE(LIMBS, TEAM) + 1) / 2 * 2;
        mates.exchange = room + own * 2 * mates.warps * EXCHANGE;
        column_ready = (gpu_barrier *)(room + (TEAM > GPU_WARP ? teams * 2 * mates.warps * EXCHANGE : 0));
        inverse_ready = column_ready + slots;
        column_written = inverse_ready + slots;
        outcome = (int32_t *)(column_written + 1);
        kept = shape->keep ? (double *)(inverse_ready + slots + 2) : nullptr;
#if PLUMB_LIMBS == 4
        origin_place(this, shape->along, (double *)(inverse_ready + slots + 2));
#endif
        c = (kept || origin.along) && !job->coefficients
                ? nullptr
                : job->c + problem * job->c_step + mates.lane % PARTS * LIMBS * job->c_plane;
        c_plane = job->c_plane;
        s = job->s + problem * job->s_step;
        if (CLUSTER) {
            there = gpu_remote_of(thread % cluster);
            leader = gpu_remote_of(0);
        }
    }

    __device__ __forceinline__ void load(const mgs_gpu_job *job)
    {
        for (int local = first; local < locals; local += teams) {
            int mine = local + own - first, j = number(mine), there = j < all;
            int64_t plane;
            const double *from = job_column(job, problem, there ? j : 0, &plane);
            double *column = column_at(mine); /* of a team without one, behind those there are */
#if PLUMB_LIMBS == 4
            const int headroom = digit_headroom(used);
            loaded l = column_load_digits<TEAM>(&mates, share, from, plane, there ? used : 0, headroom, column);
            const double norm = lane_mul(lane_mul(l.squares, 1.0 + 0x1p-40), digit_power(-2 * headroom));
            if (there && mates.lane == 0)
                *norm_at_first(mine) = norm, column[power_at()] = 1.0;
            if (there && mates.lane % GPU_WARP == 0)
                *norm_bound(mine) = norm;
#else
            loaded l = column_load<TEAM>(&mates, share, from, plane, there ? used : 0, column);
#endif
            if (there && mates.lane == 0) {
                least[mine] = lane_mul(job->dependent, l.squares);
                job->exponent[(int64_t)problem * all + j] = l.exponent;
                if (!l.finite)
                    gpu_raise(outcome, MGS_NONFINITE);
            }
        }
        if (TEAM > GPU_WARP)
            gpu_sync_some(mates.barrier, TEAM);
        gpu_sync_warp();
    }

    /* ---- A finished column to all blocks ----------------------------------------------------------------------------- */

    /* Column k to where each block reads it. All threads of the warp call, those of the column's team with `mine`. */
    __device__ __forceinline__ void publish_column(int slot, double *column, double bound, int size, int mine)
    {
        gpu_barrier *ready = column_ready + slot;
        const pair about = {(double)size, bound};
        if (CLUSTER) {
            double *to = received + slot * step;
            if (!others_send())
                send_column(to, column, ready);
            if (LIMBS < 4 && mates.lane % GPU_WARP < cluster)
                gpu_send(there, to + tail() + 2 * mates.warp, about.x, about.y, ready);
            return;
        }
        if (LIMBS < 4 && mine && mates.lane % GPU_WARP == 0)
            *(pair *)(column + tail() + 2 * mates.warp) = about;
        gpu_sync_warp();
        if (mine && gpu_arrives(mates.lane % GPU_WARP))
            gpu_barrier_arrive(ready);
    }

    /* One warp sends this many doubles, an even number, to one block: as one bulk copy, to its own block in pairs. (A bulk copy would
     * work there, but memcheck of compute-sanitizer reports it.) */
    __device__ __forceinline__ void send_whole(int other, double *to, const double *from, int doubles,
                                               gpu_barrier *ready)
    {
        const int lane = mates.lane % GPU_WARP;
        if (other != rank) {
            if (lane == 0)
                gpu_send_many(gpu_remote_of(other), to, from, doubles, ready);
            return;
        }
        for (int i = 2 * lane; i < doubles; i += 2 * GPU_WARP)
            gpu_send(gpu_remote_of(rank), to + i, from[i], from[i + 1], ready);
    }

    /* Where others_send: the entries of a column of another team, once they are written. Each warp sends to some of the blocks. */
    __device__ __forceinline__ void send_for(int team, int local, int slot)
    {
        const int others = (teams - 1) * mates.warps, warp = (own < team ? own : own - 1) * mates.warps + mates.warp;
        const double *column = column_at(local);
        double *to = received + slot * step;
        gpu_barrier_wait(column_written, local & 1);
        for (int other = warp; other < cluster; other += others)
            send_whole(other, to, column, tail(), column_ready + slot);
        gpu_sync_warp();
    }

    /* The entries of this thread to all blocks. A warp sends to one block at a time, which is fastest. */
    __device__ __forceinline__ void send_column(double *to, const double *column, gpu_barrier *ready)
    {
        const int count = share, entries = TEAM * count;
        LANE_UNROLL
        for (int i = 0; i < count; i++) {
            const int e = mates.lane + TEAM * i;
            for (int other = 0; other < cluster; other++) {
                gpu_remote where = gpu_remote_of(other);
                LANE_UNROLL
                for (int q = 0; q < SMALL_WORDS(LIMBS) / 2; q++) {
                    const pair p = *(const pair *)(column + 2 * (q * entries + e));
                    gpu_send(where, to + 2 * (q * entries + e), p.x, p.y, ready);
                }
                const int last = (SMALL_WORDS(LIMBS) - 1) * entries + e; /* the odd one, in d and qd */
                if (LIMBS != 2)
                    gpu_send_one(where, to + last, column[last], ready);
            }
        }
    }

#if PLUMB_LIMBS < 4
    /* The square norm of a column whose largest entry has the high word size. The whole warp calls. */
    __device__ __forceinline__ real column_square(const double *column, int size)
    {
        real_acc sum = column_squares<TEAM>(mates.lane, share, column);
        return slices_value(team_sum<1>(&mates, slices_of(sum, sum_top(size, (size >> 20) - 1022, used))));
    }
#else
    /* The square norm of a column that was multiplied by 2^shift; *inverse receives that of the column as it is. The whole warp
     * calls. */
    __device__ __forceinline__ real column_square(const double *column, int shift, digits *inverse)
    {
        real square;
        *inverse =
            square_inverse(team_sum<1>(&mates, column_square_digits<TEAM>(mates.lane, share, used, column)), &square);
        return real_times(square, digit_power(2 * (digit_headroom(used) - shift)));
    }

    /* A final column is multiplied by a power of two. Where a warp has several teams, all take part in the shuffles. */
    __device__ __forceinline__ int normalise(int local, double *column, int mine)
    {
        double bound = *norm_bound(local);
        const int loose = bound_is_loose(bound, *norm_at_first(local));
        if (TEAM < GPU_WARP ? gpu_any(loose) : loose) {
            const double sum = bound_of(&mates, share, column);
            bound = loose ? sum : bound;
        }
        const int by = shift_for(bound);
        gpu_sync_warp();
        if (mine)
            column_shift<TEAM>(mates.lane, share, column, by);
        if (mine && mates.lane == 0)
            column[power_at()] = digit_power(by);
        if (others_send())
            gpu_send_ready();
        gpu_sync_warp();
        return by;
    }

    /* The inverse of its square norm follows a column. */
    __device__ __forceinline__ void publish_inverse(int slot, const double *column, int shift, double bound, int k,
                                                    int mine)
    {
        digits inverse;
        const real square = column_square(column, shift, &inverse);
        const int depends = !(real_head(square) > bound);
        if (!mine)
            return;
        double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, digit_power(shift)};
        LANE_UNROLL
        for (int q = 0; q < DIGITS; q++)
            v[q] = depends ? 0.0 : inverse.v[q];
        double *to = (CLUSTER ? received + slot * step : columns + slot * step) + tail();
        LANE_UNROLL
        for (int q = 0; q < 6; q += 2) {
            if (CLUSTER && mates.lane < cluster)
                gpu_send(there, to + q, v[q], v[q + 1], inverse_ready + slot);
            if (!CLUSTER && mates.lane == 0)
                *(pair *)(to + q) = pair{v[q], v[q + 1]};
        }
        if (!CLUSTER && mates.lane == 0)
            gpu_barrier_arrive(inverse_ready + slot);
        note_square(k, square, depends);
    }
#endif

    __device__ __forceinline__ void note_square(int k, real square, int depends)
    {
        if (mates.lane != 0)
            return;
        real_store(s + k, all, square, 1);
        if (depends)
            gpu_raise(outcome, MGS_DEPENDENT - k);
    }

    /* Column k is final: publish it. The threads of the warp have met since they wrote it. */
    __device__ __forceinline__ void publish(int k, int slot, int local, int mine)
    {
        double *column = column_at(local), bound = least[local];
#if PLUMB_LIMBS == 4
        const int shift = normalise(local, column, mine);
        if (others_send() && gpu_arrives(mates.lane % GPU_WARP))
            gpu_barrier_arrive(column_written);
        publish_column(slot, column, bound, 0, mine);
        publish_inverse(slot, column, shift, bound, k, mine);
#else
        (void)k;
        int size = 0;
        if (LIMBS > 1) {
            size = mine ? column_size<TEAM>(mates.lane, share, column) : 0;
            size = TEAM >= GPU_WARP ? gpu_max(size) : team_max(&mates, size);
        }
        publish_column(slot, column, bound, size, mine);
#endif
    }

    /* ---- Steps ------------------------------------------------------------------------------------------------------- */

    /* Where this thread's part of c_kj stays, or NULL. The address is computed before there is anything to wait for. */
    __device__ __forceinline__ double *coefficient_place(int k, int j) const
    {
        return kept ? kept + ((SMALL_COEFFICIENTS(cols, j) + k) * PARTS + mates.lane) * LIMBS : nullptr;
    }

    __device__ __forceinline__ void store_coefficient(int k, int j, int local, double *to, real value)
    {
        if (mates.lane >= PARTS)
            return;
        double v[LIMBS];
        limbs_of_real(v, value);
        LANE_UNROLL
        for (int q = 0; to && q < LIMBS; q++)
            if (CLUSTER)
                gpu_store_remote(leader, to + q, v[q]);
            else
                to[q] = v[q];
        if (c)
            real_store(c + (int64_t)j * cols + k, c_plane, value, 1);
#if PLUMB_LIMBS == 4
        if (CLUSTER && origin.along)
            limbs_of_real(origin_coefficient(this, k, local) + mates.lane * LIMBS, value);
#endif
    }

    /* Step k for the local-th column of this block, j, and for those of the other teams of the warp. The column is published at
     * once if it is the next pivot, because others wait for it; what only the end needs comes last. The whole warp calls. */
#if PLUMB_LIMBS == 4
    template <int SHARE>
    __device__ __forceinline__ void remove(int k, int slot, int parity, int next_slot, const double *pivot,
                                           const digit_rows<SHARE> *rows, int j, int local)
    {
        const int active = j > k && j < all, next = j == k + 1 && k + 1 < cols;
        double *column = column_at(active ? local : 0), *place = coefficient_place(k, j);
        digits entries[SHARE > 0 ? SHARE : 1];
        const digits total = digits_carry(team_sum<PARTS>(
            &mates, column_dot_digits<TEAM, SHARE>(mates.lane, share, used, rows, pivot, column, entries)));
        gpu_barrier_wait(inverse_ready + slot, parity);
        const digits c = digits_product(total, digits_at(pivot + tail())),
                     beside = PARTS == 2 ? digits_of_neighbour(c) : c;
        gpu_shuffles_order(); /* what is written depends on what neighbours have read */
        if (active)
            column_remove_digits<TEAM, SHARE>(mates.lane, share, rows, pivot, column, entries, c, beside);
        const double bound = bound_after(*norm_bound(active ? local : 0), digits_two(total), digits_two(c));
        gpu_sync_warp();
        if (active && mates.lane % GPU_WARP == 0)
            *norm_bound(local) = bound;
        gpu_sync_warp();
        if (teams_a_warp == 1 ? next : gpu_any(next))
            publish(k + 1, next_slot, next ? local : 0, next);
        if (active)
            store_coefficient(k, j, local, place, digits_value(c, pivot[power_at()]));
    }
#else
    template <int>
    __device__ __forceinline__ void remove(int k, int, int, int next_slot, const double *pivot, int size, double bound,
                                           int j, int local)
    {
        int active = j > k && j < all, next = j == k + 1 && k + 1 < cols, depends = 0;
        double *column = column_at(active ? local : 0), *place = coefficient_place(k, j);
        real_acc sum, squares;
        column_dots<TEAM>(mates.lane, share, pivot, column, &sum, &squares);
        slices sums = slices_of(sum, sum_top(size, 0, used));
        slices square_sums = slices_of(squares, sum_top(size, (size >> 20) - 1022, used));
        team_sums(&mates, &sums, &square_sums);
        const real square = slices_value(square_sums);
        depends = !(real_head(square) > bound);
        const real value = real_select(!depends, real_mul(slices_value(sums), inverse_of(square)), real_set(0.0));
        real other = PARTS == 2 ? real_of_neighbour(value) : value;
        gpu_shuffles_order(); /* what is written depends on what neighbours have read */
        if (active)
            column_remove<TEAM>(mates.lane, share, pivot, column, value, other);
        gpu_sync_warp();
        if (teams_a_warp == 1 ? next : gpu_any(next))
            publish(k + 1, next_slot, next ? local : 0, next);
        if (active)
            store_coefficient(k, j, local, place, value);
        if (j == k + 1)
            note_square(k, square, depends);
    }
#endif

    /* Step k for all columns of this team that come after, nearest first; *local: the first one of the warp that does. SHARE: the
     * entries of a thread if there are so few that they fit into registers, or 0. */
    template <int SHARE> __device__ __forceinline__ void take(int k, int slot, int parity, int next_slot, int *local)
    {
        if (number(*local) >= all)
            return;
        const double *pivot = CLUSTER ? received + slot * step : column_at(slot);
#if PLUMB_LIMBS == 4
        digit_rows<SHARE> rows;
        pivot_rows<TEAM, SHARE>(&rows, mates.lane, pivot);
        for (int at = *local; number(at) < all; at += teams)
            remove<SHARE>(k, slot, parity, next_slot, pivot, &rows, number(at + own - first), at + own - first);
#else
        double bound = pivot[tail() + 1];
        int size = 0;
        if (LIMBS > 1) {
            LANE_UNROLL
            for (int i = 0; i < mates.warps; i++) {
                int other = (int)pivot[tail() + 2 * i];
                size = other > size ? other : size;
            }
        }
        for (int at = *local; number(at) < all; at += teams)
            remove<SHARE>(k, slot, parity, next_slot, pivot, size, bound, number(at + own - first), at + own - first);
#endif
        if (number(*local + teams_a_warp - 1) <= k + 1)
            *local += teams;
    }

    __device__ __forceinline__ void announce(int slot)
    {
        gpu_barrier_expect(column_ready + slot, column_bytes());
        if (sends_inverse)
            gpu_barrier_expect(inverse_ready + slot, 48);
    }

    /* What goes along with the columns in step k, see origin.h: with column k - 1, whose slot is the one before. */
    __device__ __forceinline__ void follow(int k, int slot, int parity)
    {
#if PLUMB_LIMBS == 4
        if (CLUSTER && origin.along)
            origin_follow(this, k - 1, slot == 0 ? slots - 1 : slot - 1, parity ^ (slot == 0));
#else
        (void)k, (void)slot, (void)parity;
#endif
    }

    __device__ __forceinline__ void meet(void)
    {
        if (CLUSTER)
            gpu_cluster_sync();
        else
            gpu_sync();
    }

    /* ---- End --------------------------------------------------------------------------------------------------------- */

    /* Computes the square norms that are still missing: of the residuals of the right-hand sides, and of the last
     * column if there are none. Then writes all columns to global memory if requested. */
    __device__ __forceinline__ void leave(const mgs_gpu_job *job)
    {
        int last = all > cols || sends_inverse ? cols : cols - 1;
        const int count = share, entries = TEAM * count;
        for (int local = first; local < locals; local += teams) {
            int mine = local + own - first, j = number(mine), there = j < all;
            double *column = column_at(there ? mine : 0);
            if (gpu_any(there && j >= last)) {
#if PLUMB_LIMBS == 4
                digits inverse;
                const int shift = normalise(there ? mine : 0, column, there && j >= last);
                const real square = column_square(column, shift, &inverse);
#else
                const int size = LIMBS == 2 ? team_max(&mates, column_size<TEAM>(mates.lane, share, column)) : 0;
                const real square = column_square(column, size);
#endif
                if (there && j >= last)
                    note_square(j, square, j < cols && !(real_head(square) > least[mine]));
            }
            for (int i = 0; there && job->w && i < count; i++) {
                int e = mates.lane + TEAM * i;
#if PLUMB_LIMBS == 4
                const real entry = digits_value(digits_load(column, entries, e),
                                                lane_div(digit_power(digit_headroom(used)), column[power_at()]));
#else
                const real entry = entry_load(column, entries, e);
#endif
                if (e < used)
                    real_store(job->w + problem * job->w_step + e % PARTS * LIMBS * job->w_plane +
                                   (int64_t)j * job->rows + e / PARTS,
                               job->w_plane, entry, 1);
            }
        }
    }

    /* All steps. */
    template <int SHARE> __device__ __forceinline__ void steps(void)
    {
        int local = first, slot = 0, parity = 0, since = 0;
        int next_rank = cluster > 1, next_local = cluster == 1,
            next_team = teams > 1 ? next_local : 0; /* of column k + 1 */
        if (number(first + teams_a_warp - 1) <= 0)
            local += teams;
        for (int k = 0; k < cols; k++) {
            int next_slot = slot + 1 == slots ? 0 : slot + 1;
            gpu_barrier_wait(column_ready + slot, parity);
            if (others_send() && rank == next_rank && own != next_team && k + 1 < cols)
                send_for(next_team, next_local, next_slot);
            take<SHARE>(k, slot, parity, next_slot, &local);
            follow(k, slot, parity);
            if (CLUSTER) {
                if (sends_inverse && gpu_thread() < GPU_WARP)
                    gpu_barrier_wait(inverse_ready + slot, parity);
                if (gpu_thread() == 0)
                    announce(slot);
                if (slots < cluster + 2 && ++since >= slots - 2) {
                    since = 0;
                    gpu_cluster_sync();
                } else
                    gpu_sync();
            }
            if (others_send() && ++next_rank == cluster) {
                next_rank = 0, next_local++;
                next_team = next_team + 1 == teams ? 0 : next_team + 1;
            }
            slot = next_slot;
            parity ^= slot == 0;
        }
        follow(cols, slot, parity);
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *job, const small_shape *shape)
    {
        place(job, shape);
        if (gpu_thread() == 0) {
            *outcome = 0;
            for (int k = 0; k < slots; k++) {
                gpu_barrier_init(column_ready + k, CLUSTER ? 1 : mates.warps * gpu_arrivals(GPU_WARP / teams_a_warp));
                gpu_barrier_init(inverse_ready + k, 1);
            }
            if (others_send())
                gpu_barrier_init(column_written, mates.warps * gpu_arrivals(GPU_WARP));
#if PLUMB_LIMBS == 4
            origin_prepare(this);
#endif
            gpu_barrier_init_done();
            for (int k = 0; CLUSTER && k < slots; k++) {
                announce(k);
#if PLUMB_LIMBS == 4
                if (origin.along)
                    origin_announce(this, k);
#endif
            }
        }
#if PLUMB_LIMBS == 4
        origin_begin(this);
#endif
        gpu_sync();
        load(job);
        meet();
        if (rank == 0 && first == 0)
            publish(0, 0, 0, own == 0);
        else if (rank == 0 && others_send())
            send_for(0, 0, 0);
        if (LIMBS == 4 && share == 1)
            steps<1>();
        else if (LIMBS == 4 && share == 2)
            steps<2>();
        else
            steps<0>();
        leave(job);
        gpu_sync();
        if (gpu_thread() == 0)
            *job_flag(job, problem, rank) = *outcome;
        meet();
        if (rank == 0)
            small_solve(job, problem, cluster, gpu_shared(), kept, origin.along ? origin.found : nullptr);
    }
};

#else
template <int TEAM, bool CLUSTER> struct small {
    __device__ void run(const mgs_gpu_job *, const small_shape *)
    {
    }
};
#endif

#if PLUMB_PARTS == 1
#define SMALL_KERNELS SMALL_KERNELS_REAL
#else
#define SMALL_KERNELS REAL_JOIN(SMALL_KERNELS_, PLUMB_LIMBS)
#endif

/* In qd two blocks of one problem each share a multiprocessor. */
#define SMALL_KERNEL(team, cluster)                                                                            \
    static __global__ void __launch_bounds__(SMALL_THREADS(PLUMB_LIMBS), PLUMB_LIMBS < 4 || (cluster) ? 1 : 2) \
        small_##team##_##cluster(const __grid_constant__ mgs_gpu_job job, const small_shape shape)             \
    {                                                                                                          \
        small<team, cluster> work;                                                                             \
        work.run(&job, &shape);                                                                                \
    }
SMALL_KERNELS(SMALL_KERNEL)

static const struct small_entry {
    int32_t team;
    bool cluster;
    const void *kernel;
} entries[] = {
#define SMALL_ENTRY(team, cluster) {team, cluster != 0, (const void *)small_##team##_##cluster},
    SMALL_KERNELS(SMALL_ENTRY)};

static cudaError_t start(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    small_shape shape = {plan->cluster, plan->share, plan->slots, plan->keep, plan->along};
    mgs_gpu_job value = *job;
    void *arguments[] = {&value, &shape};
    cudaError_t error = mgs_prepare(entries);
    for (const small_entry &e : entries)
        if (error == cudaSuccess && e.team == plan->team && e.cluster == (plan->cluster > 1))
            return mgs_launch(e.kernel, plan, job->batch, arguments, stream);
    return error == cudaSuccess ? cudaErrorInvalidDeviceFunction : error;
}

#else

static cudaError_t start(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}

#endif

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_small)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    return mgs_say(start(job, plan, stream), message, message_size);
}
