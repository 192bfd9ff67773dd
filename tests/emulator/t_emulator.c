/* t_emulator.c - tests that the emulated GPU behaves like a GPU for any order of its threads, and that it detects
 * mistakes.
 *
 * Every correct kernel runs with several seeds of the scheduler; every faulty one runs in a separate process, which
 * must end by abort with a message that describes the fault. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "t_emulator.h"

enum { VALUES = 4096, FLAGS = 64, SEEDS = 12 };

static test_data data;

static int make_data(void **state)
{
    (void)state;
    return cudaMalloc((void **)&data.values, VALUES * sizeof(double)) == cudaSuccess &&
                   cudaMalloc((void **)&data.flags, FLAGS * sizeof(int32_t)) == cudaSuccess
               ? 0
               : -1;
}

static int free_data(void **state)
{
    (void)state;
    return cudaFree(data.values) == cudaSuccess && cudaFree(data.flags) == cudaSuccess ? 0 : -1;
}

static void use_seed(int seed)
{
    char text[16];
    snprintf(text, sizeof text, "%d", seed);
    setenv("PLUMB_EMULATOR_SEED", text, 1);
    assert_int_equal(cudaMemset(data.flags, 0, FLAGS * sizeof(int32_t)), cudaSuccess);
    assert_int_equal(cudaMemset(data.values, 0xff, VALUES * sizeof(double)), cudaSuccess);
}

static void threads_of_a_block_sum(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_block_sum, 20, 1, 256, 256 * sizeof(double), 0, data), cudaSuccess);
        for (int b = 0; b < 20; b++)
            assert_true(data.values[b] == 256.0 * 257.0 / 2.0);
    }
}

static void warps_exchange(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_warp_exchange, 1, 1, 128, 0, 0, data), cudaSuccess);
        for (int i = 0; i < 128; i++)
            assert_true(data.values[i] == 496.0 + (i + 1) % 32 + 32000.0 + 300000.0 + 2e6 + 6e7);
    }
}

static void warps_multiply_matrices(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_warp_products, 1, 1, 32, 0, 0, data), cudaSuccess);
        for (int t = 0; t < 128; t++) {
            const int row = t / 16 + t % 4 / 2 * 8, column = t / 4 % 4 * 2 + t % 2;
            double sum = 0.0;
            for (int k = 0; k < 16; k++)
                sum += (row + 1.0) * k * (k - 3.0 * column);
            assert_true(data.values[t] == sum + (row < 8 ? 1e6 * sum : 0.0));
        }
    }
}

static void warps_meet_at_named_barriers(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_named_barriers, 1, 1, 256, 128 * sizeof(double), 0, data), cudaSuccess);
        for (int i = 0; i < 128; i++)
            assert_true(data.values[i] == 45.0 * (127 - i));
    }
}

static void ring(int blocks, int size)
{
    int threads = RING_VALUES / 2;
    size_t shared = (2 * RING_VALUES + 4) * sizeof(double) + 4 * sizeof(uint64_t);
    assert_int_equal(run_kernel(KERNEL_cluster_ring, blocks, size, threads, shared, size > 8, data), cudaSuccess);
    for (int b = 0; b < blocks; b++) {
        int rank = b % size, first = b - rank, sum = 0;
        for (int k = 0; k < RING_PHASES; k++)
            sum += (rank + RING_PHASES * size - k) % size;
        int from = first + (rank + RING_PHASES * size - RING_PHASES) % size;
        for (int i = 0; i < threads; i++) {
            assert_true(data.values[(b * threads + i) * 2] == from + sum);
            assert_true(data.values[(b * threads + i) * 2 + 1] == i + RING_PHASES);
        }
    }
}

static void clusters_pass_messages(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        static const int sizes[] = {1, 2, 3, 8, 16};
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            use_seed(seed);
            ring(2 * sizes[k], sizes[k]);
        }
    }
}

static void blocks_wait_for_lower_ones(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_flag_chain, FLAGS, 1, 64, 0, 0, data), cudaSuccess);
        for (int b = 0; b < FLAGS; b++)
            assert_true(2.0 * data.values[b] == b * (b + 1));
    }
}

static void counters_count_every_thread(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_tickets, 30, 1, 96, 0, 0, data), cudaSuccess);
        assert_int_equal(data.flags[0], 30 * 96);
        assert_int_equal(data.flags[1], 30 * 96 - 1);
        for (int i = 0; i < 30 * 96; i++)
            assert_true(data.values[i] == i);
    }
}

static void copies_arrive(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        for (int i = 0; i < 64; i++)
            data.values[i] = i;
        assert_int_equal(run_kernel(KERNEL_copies, 1, 1, 64, 64 * sizeof(double), 0, data), cudaSuccess);
        for (int i = 0; i < 64; i++)
            assert_true(data.values[i] == 63 - i);
    }
}

static void stores_reach_other_blocks(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        use_seed(seed);
        assert_int_equal(run_kernel(KERNEL_remote_stores, 24, 8, 32, 8 * sizeof(double), 0, data), cudaSuccess);
        for (int b = 0; b < 24; b++)
            assert_true(data.values[b] == 36.0);
    }
}

static void launches_are_refused(void **state)
{
    (void)state;
    use_seed(0);
    assert_int_equal(run_kernel(KERNEL_tickets, 1, 1, 1025, 0, 0, data), cudaErrorInvalidConfiguration);
    assert_int_equal(run_kernel(KERNEL_tickets, 0, 1, 32, 0, 0, data), cudaErrorInvalidConfiguration);
    assert_int_equal(run_kernel(KERNEL_tickets, 3, 2, 32, 0, 0, data), cudaErrorInvalidConfiguration);
    assert_int_equal(run_kernel(KERNEL_tickets, 16, 16, 32, 0, 0, data), cudaErrorInvalidClusterSize);
    assert_int_equal(run_kernel(KERNEL_tickets, 1, 1, 32, 49 << 10, 0, data), cudaErrorInvalidValue);
    assert_int_equal(run_kernel(KERNEL_tickets, 1, 1, 32, 228 << 10, 1, data), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(data.flags[0], 0);
    assert_int_equal(run_kernel(KERNEL_tickets, 16, 16, 32, 227 << 10, 1, data), cudaSuccess);
    assert_int_equal(data.flags[0], 16 * 32);
}

static void memory_has_an_end(void **state)
{
    (void)state;
    setenv("PLUMB_EMULATOR_MEMORY", "4", 1);
    size_t before, after, total;
    void *first, *second;
    assert_int_equal(cudaMemGetInfo(&before, &total), cudaSuccess);
    assert_int_equal(total, 4 << 20);
    assert_int_equal(cudaMalloc(&first, 3 << 20), cudaSuccess);
    assert_int_equal((uintptr_t)first % 256, 0);
    assert_int_equal(cudaMalloc(&second, 2 << 20), cudaErrorMemoryAllocation);
    assert_null(second);
    assert_int_equal(cudaMemcpy((char *)first + 8, first, 3 << 20, cudaMemcpyDefault), cudaErrorInvalidValue);
    assert_int_equal(cudaFree((char *)first + 8), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(first), cudaSuccess);
    assert_int_equal(cudaMemGetInfo(&after, &total), cudaSuccess);
    assert_int_equal(before, after);
    assert_int_equal(cudaMemset(&before, 0, sizeof before), cudaErrorInvalidValue);
    unsetenv("PLUMB_EMULATOR_MEMORY");
}

/* A recording takes in the stream that waits for one of its events; it has to be waited for in turn, and only events of
 * the recording can be waited for. */
static void recordings_fork_and_join(void **state)
{
    (void)state;
    cudaStream_t origin, side;
    cudaEvent_t forked, joined;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    enum cudaStreamCaptureStatus status;
    double from[4] = {1, 2, 3, 4}, to[4];
    assert_int_equal(cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreate(&forked), cudaSuccess);
    assert_int_equal(cudaEventCreate(&joined), cudaSuccess);
    for (int joins = 0; joins < 2; joins++) {
        memset(to, 0, sizeof to);
        assert_int_equal(cudaEventRecord(joined, side), cudaSuccess);
        assert_int_equal(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        assert_int_equal(cudaStreamWaitEvent(origin, joined, 0), cudaErrorStreamCaptureIsolation);
        assert_int_equal(cudaMemcpyAsync(data.values, from, sizeof from, cudaMemcpyDefault, origin), cudaSuccess);
        assert_int_equal(cudaEventRecord(forked, origin), cudaSuccess);
        assert_int_equal(cudaStreamWaitEvent(side, forked, 0), cudaSuccess);
        assert_int_equal(cudaStreamIsCapturing(side, &status), cudaSuccess);
        assert_int_equal(status, cudaStreamCaptureStatusActive);
        assert_int_equal(cudaMemcpyAsync(to, data.values, sizeof to, cudaMemcpyDefault, side), cudaSuccess);
        assert_int_equal(cudaEventRecord(joined, side), cudaSuccess);
        if (joins)
            assert_int_equal(cudaStreamWaitEvent(origin, joined, 0), cudaSuccess);
        assert_true(to[0] == 0.0);
        assert_int_equal(cudaStreamEndCapture(side, &graph), cudaErrorInvalidResourceHandle);
        assert_int_equal(cudaStreamEndCapture(origin, &graph), joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
        assert_int_equal(cudaStreamIsCapturing(side, &status), cudaSuccess);
        assert_int_equal(status, cudaStreamCaptureStatusNone);
        assert_int_equal(cudaStreamWaitEvent(side, forked, 0), cudaErrorCapturedEvent);
    }
    assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(ready, origin), cudaSuccess);
    assert_memory_equal(to, from, sizeof to);
    assert_int_equal(cudaGraphExecDestroy(ready), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaEventDestroy(forked), cudaSuccess);
    assert_int_equal(cudaEventDestroy(joined), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(origin), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(side), cudaSuccess);
    (void)cudaGetLastError();
}

/* Checks the message of a process that runs the kernel and aborts. */
static void dies(test_kernel kernel, int cluster, int threads, const char *message)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        (void)run_kernel(kernel, 2 * cluster, cluster, threads, (size_t)threads * sizeof(double), 0, data);
        _exit(0);
    }
    close(ends[1]);
    char said[8192];
    size_t length = 0;
    for (ssize_t more; length < sizeof said - 1 && (more = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)more;
    said[length] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, message))
        fail_msg("expected \"%s\", status %d, found: %s", message, status, said);
}

static void mistakes_are_noticed(void **state)
{
    (void)state;
    for (int seed = 0; seed < 3; seed++) {
        use_seed(seed);
        dies(KERNEL_half_syncs, 1, 64, "threads 0 to 31: (gpu_sync, ");
        dies(KERNEL_warp_divides, 1, 32, "other threads of the warp are at");
        dies(KERNEL_overruns, 1, 32, "wrote 0 bytes behind its 256 bytes of shared memory");
        dies(KERNEL_underruns, 1, 32, "wrote 8 bytes before its shared memory");
        dies(KERNEL_sends_to_ended, 2, 32, "which has ended (gpu_send, ");
        dies(KERNEL_sends_too_far, 2, 32, "there is no block 2 in a cluster of 2");
        dies(KERNEL_sends_unaligned, 1, 32, "is not aligned to 16 bytes");
        dies(KERNEL_forgets_init, 1, 32, "the barrier was not initialised");
        dies(KERNEL_arrives_too_often, 1, 32, "more than 1 threads arrive");
        dies(KERNEL_never_told, 1, 32, "threads 0 to 31: (gpu_barrier_wait, ");
        dies(KERNEL_spins, 1, 32, "threads spin and nothing else happens");
        dies(KERNEL_reads_for_ever, 1, 32, "without gpu_pause");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_block_sum),      cmocka_unit_test(warps_exchange),
        cmocka_unit_test(warps_multiply_matrices),     cmocka_unit_test(warps_meet_at_named_barriers),
        cmocka_unit_test(clusters_pass_messages),      cmocka_unit_test(blocks_wait_for_lower_ones),
        cmocka_unit_test(counters_count_every_thread), cmocka_unit_test(copies_arrive),
        cmocka_unit_test(stores_reach_other_blocks),   cmocka_unit_test(launches_are_refused),
        cmocka_unit_test(memory_has_an_end),           cmocka_unit_test(recordings_fork_and_join),
        cmocka_unit_test(mistakes_are_noticed),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
