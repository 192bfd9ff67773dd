// gpu.cpp - plumb-gpu-peers: times the solvers of NVIDIA's libraries on the systems of plumb-bench lsq --backend gpu.
//
// A separate program that answers like plumb-peers (main.cpp), for complex systems in d:
//
//   solvers                               a line "peer prec kind what" for each solver, then an empty line
//   time PEER d complex M N SEED NS       solve repeatedly for about NS nanoseconds; answers nanoseconds per system
//   error PEER d complex M N SEED         solve once; the largest error of x, whose entries should all be 1
//   time cublas d KIND N N SEED NS        the same for products of N x N matrices, KIND product (Dgemm) or zproduct (Zgemm)
//
//   cusolver_qr     M x N: Zgeqrf, Zunmqr and Ztrsm
//   cusolver_gels   M x N: ZZgels
//   cublas_batched  M systems of N x N, consecutive seeds: ZgetrfBatched and ZgetrsBatched
//
// The matrices are on the GPU. These solvers overwrite them, so each solve begins with a copy within the GPU. Solves follow each other
// on one stream, and the host waits only at the end; the smaller time of single launches and of a CUDA graph counts (ZZgels waits by
// itself and has no graph).
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "gpu_problems.h"

namespace
{

constexpr int64_t most_entries = int64_t(1) << 26;

const char *const names[] = {"cusolver_qr", "cusolver_gels", "cublas_batched"};
const char *const methods[] = {"Householder QR, cuSOLVER Zgeqrf, Zunmqr, cuBLAS Ztrsm",
                               "Householder QR, cuSOLVER ZZgels",
                               "Gaussian elimination, cuBLAS ZgetrfBatched, ZgetrsBatched"};

std::unique_ptr<gpu_problem> make(const std::string &peer, int64_t m, int64_t n, uint64_t seed)
{
    const bool batched = peer == names[2];
    if (n < 1 || n > 8192 || m < 1 || m > most_entries / n / (batched ? n : 1) || (!batched && m < n))
        return nullptr;
    if (peer == names[0])
        return std::make_unique<qr_problem>(m, n, seed);
    if (peer == names[1])
        return std::make_unique<gels_problem>(m, n, seed);
    if (batched)
        return std::make_unique<batched_problem>(m, n, seed);
    return nullptr;
}

template <class Work> double time_runs(const gpu_problem &p, int64_t count, Work work)
{
    p.wait();
    double start = bench_now_ns();
    for (int64_t i = 0; i < count; i++)
        work();
    p.wait();
    return (bench_now_ns() - start) / double(count);
}

// A solve recorded once, which costs less to launch; null where the library cannot be recorded.
cudaGraphExec_t record(gpu_problem &p)
{
    static bool possible = true;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    if (!possible || cudaStreamBeginCapture(lib().stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return nullptr;
    try {
        p.solve();
    } catch (const std::exception &) {
        possible = false;
    }
    if (cudaStreamEndCapture(lib().stream, &graph) != cudaSuccess || !possible ||
        cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess) {
        possible = false;
        ready = nullptr;
        (void)cudaGetLastError();
        lib().open();
    }
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return ready;
}

int64_t runs_for(double target_ns, double ns)
{
    constexpr int64_t least = 20, most = 100000;
    return target_ns / ns < double(least) ? least : target_ns / ns > double(most) ? most : int64_t(target_ns / ns);
}

double time_of(gpu_problem &p, bool host_waits, double target_ns)
{
    auto plain = [&p] { p.solve(); };
    time_runs(p, 2, plain); // libraries load their kernels on first use
    double ns = time_runs(p, runs_for(target_ns, time_runs(p, 20, plain)), plain);
    cudaGraphExec_t ready = host_waits ? nullptr : record(p);
    if (ready != nullptr) {
        auto replay = [ready] { check(cudaGraphLaunch(ready, lib().stream), "replaying"); };
        p.spoil();
        double again = time_runs(p, 20, replay);
        if (p.error() < 1e-3) // the graph computes the solution
            ns = std::fmin(ns, time_runs(p, runs_for(target_ns, again), replay));
        cudaGraphExecDestroy(ready);
    }
    return ns / p.systems();
}

double error_of(gpu_problem &p)
{
    p.solve();
    return p.error();
}

// Nanoseconds per product of n x n matrices.
double time_product(bool complex, int64_t n, double target_ns)
{
    const size_t doubles = size_t(n * n) * (complex ? 2 : 1);
    std::vector<double> numbers(doubles);
    uint64_t state = 1;
    for (double &x : numbers) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = double(state >> 11) * 0x1p-52 - 1.0;
    }
    const device_array<double> a(doubles), b(doubles), c(doubles);
    a.put(numbers.data());
    b.put(numbers.data());
    auto multiply = [&] {
        const double one = 1, zero = 0;
        const cuDoubleComplex z_one = {1, 0}, z_zero = {0, 0};
        const int m = int(n);
        auto z = [](const device_array<double> &x) { return reinterpret_cast<cuDoubleComplex *>(x.get()); };
        if (complex)
            check(
                cublasZgemm(lib().blas, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &z_one, z(a), m, z(b), m, &z_zero, z(c), m),
                "Zgemm");
        else
            check(cublasDgemm(lib().blas, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, a.get(), m, b.get(), m, &zero,
                              c.get(), m),
                  "Dgemm");
    };
    auto time = [&](int64_t count) {
        check(cudaStreamSynchronize(lib().stream), "waiting");
        const double start = bench_now_ns();
        for (int64_t i = 0; i < count; i++)
            multiply();
        check(cudaStreamSynchronize(lib().stream), "waiting");
        return (bench_now_ns() - start) / double(count);
    };
    time(2);
    return time(runs_for(target_ns, time(5)));
}

void answer(const char *line)
{
    char verb[16], peer[32];
    int64_t m, n;
    uint64_t seed;
    double target_ns = 0;
    if (std::strcmp(line, "solvers\n") == 0) {
        for (int k = 0; k < 3; k++)
            std::printf("%s d complex %s\n", names[k], methods[k]);
        std::printf("\n");
        return;
    }
    char kind[16];
    if (std::sscanf(line, "time cublas d %15s %" SCNd64 " %" SCNd64 " %" SCNu64 " %lf", kind, &m, &n, &seed,
                    &target_ns) == 5 &&
        m == n && n >= 1 && n <= 8192 && (!std::strcmp(kind, "product") || !std::strcmp(kind, "zproduct"))) {
        try {
            std::printf("%.6g\n", time_product(kind[0] == 'z', n, target_ns));
        } catch (const std::exception &e) {
            std::fprintf(stderr, "plumb-gpu-peers: %s\n", e.what());
            std::printf("none\n");
        }
        return;
    }
    int fields = std::sscanf(line, "%15s %31s d complex %" SCNd64 " %" SCNd64 " %" SCNu64 " %lf", verb, peer, &m, &n,
                             &seed, &target_ns);
    bool time = fields == 6 && !std::strcmp(verb, "time"), error = fields == 5 && !std::strcmp(verb, "error");
    try {
        std::unique_ptr<gpu_problem> problem = time || error ? make(peer, m, n, seed) : nullptr;
        if (problem != nullptr) {
            std::printf("%.6g\n",
                        time ? time_of(*problem, peer == std::string(names[1]), target_ns) : error_of(*problem));
            return;
        }
    } catch (const std::exception &e) {
        std::fprintf(stderr, "plumb-gpu-peers: %s\n", e.what());
    }
    std::printf("none\n");
}

} // namespace

int main(int argc, char **argv)
{
    const char *usage = "usage: plumb-gpu-peers --serve\n"
                        "Times cuSOLVER and cuBLAS on a GPU. Answers requests on standard input, as\n"
                        "plumb-bench lsq --backend gpu makes them.\n";
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
        std::fputs(usage, stdout);
        return 0;
    }
    if (argc != 2 || std::strcmp(argv[1], "--serve") != 0) {
        std::fputs(usage, stderr);
        return 2;
    }
    char line[256];
    while (std::fgets(line, sizeof line, stdin)) {
        answer(line);
        std::fflush(stdout);
    }
    return 0;
}
