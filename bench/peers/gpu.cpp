// gpu.cpp - plumb-gpu-peers: times the solvers of NVIDIA's libraries on the systems of `plumb bench lsq --backend gpu`.
//
// A program of its own, spoken to as plumb-peers is (main.cpp), for complex systems in d:
//
//   solvers                               a line "peer prec kind what" for each solver, then an empty line
//   time PEER d complex M N SEED NS       solve again and again for about NS nanoseconds; nanoseconds a system
//   error PEER d complex M N SEED         solve once; the largest error of x, whose entries should all be 1
//
//   cusolver_qr     M x N: Zgeqrf, Zunmqr and Ztrsm
//   cusolver_gels   M x N: ZZgels
//   cublas_batched  M systems of N x N, seeds one after the other: ZgetrfBatched and ZgetrsBatched
//
// The matrices are on the GPU. These solvers overwrite them, so each solve begins with a copy within the GPU. Solves follow each other
// on one stream, and the host waits at the end only.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers.h"

namespace
{

constexpr int64_t most_entries = int64_t(1) << 26;

template <class Status> void check(Status status, const char *what)
{
    if (int(status) != 0) // 0 is success in all three libraries
        throw std::runtime_error(std::string(what) + ": status " + std::to_string(int(status)));
}

// Memory on the GPU for the life of a problem.
template <class T> class device_array
{
  public:
    explicit device_array(size_t count) : count_(count)
    {
        check(cudaMalloc(&data_, count * sizeof(T)), "memory");
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array()
    {
        cudaFree(data_);
    }
    T *get() const
    {
        return static_cast<T *>(data_);
    }
    void put(const void *from) const
    {
        check(cudaMemcpy(data_, from, count_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    void copy_from(const device_array &other, cudaStream_t stream) const
    {
        check(cudaMemcpyAsync(data_, other.data_, count_ * sizeof(T), cudaMemcpyDeviceToDevice, stream), "copy");
    }

  private:
    void *data_ = nullptr;
    size_t count_;
};

using complex_array = device_array<cuDoubleComplex>;

struct libraries {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    cusolverDnHandle_t solver = nullptr;
    libraries()
    {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        check(cublasCreate(&blas), "cuBLAS");
        check(cublasSetStream(blas, stream), "cuBLAS");
        check(cusolverDnCreate(&solver), "cuSOLVER");
        check(cusolverDnSetStream(solver, stream), "cuSOLVER");
    }
};

libraries &lib()
{
    static libraries one;
    return one;
}

// The numbers of `systems` problems of a shape on the GPU, and the copies that solvers overwrite.
class gpu_problem
{
  public:
    gpu_problem(int64_t m, int64_t n, int64_t systems, uint64_t seed)
        : m_(int(m)), n_(int(n)), systems_(int(systems)), a_(size_t(m * n * systems)), b_(size_t(m * systems)),
          work_a_(size_t(m * n * systems)), work_b_(size_t(m * systems)), info_(size_t(systems))
    {
        std::vector<double> a, b;
        for (int64_t s = 0; s < systems; s++) {
            lsq_data one({m, n, seed + uint64_t(s)}, 1, 2);
            a.insert(a.end(), one.a.begin(), one.a.end());
            b.insert(b.end(), one.b.begin(), one.b.end());
        }
        a_.put(a.data());
        b_.put(b.data());
    }
    virtual ~gpu_problem() = default;

    void solve() // queues it
    {
        work_a_.copy_from(a_, lib().stream);
        work_b_.copy_from(b_, lib().stream);
        run();
    }
    void wait() const
    {
        check(cudaStreamSynchronize(lib().stream), "waiting");
    }
    int systems() const
    {
        return systems_;
    }
    double error()
    {
        std::vector<double> x(size_t(2) * size_t(m_) * size_t(systems_));
        solve();
        wait();
        check(cudaMemcpy(x.data(), solution(), x.size() * sizeof(double), cudaMemcpyDeviceToHost), "copy");
        double worst = 0;
        for (int s = 0; s < systems_; s++)
            for (int j = 0; j < n_; j++) {
                const double *z = &x[2 * (size_t(s) * size_t(m_) + size_t(j))];
                double distance = std::hypot(z[0] - 1, z[1]);
                if (!(distance <= worst))
                    worst = distance;
            }
        return worst;
    }

  protected:
    int m_, n_, systems_;
    complex_array a_, b_, work_a_, work_b_;
    device_array<int> info_;

    virtual void run() = 0;
    virtual const cuDoubleComplex *solution() const // column by column, m entries each
    {
        return work_b_.get();
    }
};

class qr_problem : public gpu_problem
{
  public:
    qr_problem(int64_t m, int64_t n, uint64_t seed) : gpu_problem(m, n, 1, seed), tau_(size_t(n))
    {
        int factor = 0, apply = 0;
        check(cusolverDnZgeqrf_bufferSize(lib().solver, m_, n_, work_a_.get(), m_, &factor), "Zgeqrf");
        check(cusolverDnZunmqr_bufferSize(lib().solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m_, 1, n_, work_a_.get(), m_,
                                          tau_.get(), work_b_.get(), m_, &apply),
              "Zunmqr");
        size_ = factor > apply ? factor : apply;
        room_ = std::make_unique<complex_array>(size_t(size_ > 0 ? size_ : 1));
    }

  protected:
    void run() override
    {
        const cuDoubleComplex one = make_cuDoubleComplex(1, 0);
        check(cusolverDnZgeqrf(lib().solver, m_, n_, work_a_.get(), m_, tau_.get(), room_->get(), size_, info_.get()),
              "Zgeqrf");
        check(cusolverDnZunmqr(lib().solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m_, 1, n_, work_a_.get(), m_, tau_.get(),
                               work_b_.get(), m_, room_->get(), size_, info_.get()),
              "Zunmqr");
        check(cublasZtrsm(lib().blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n_,
                          1, &one, work_a_.get(), m_, work_b_.get(), m_),
              "Ztrsm");
    }

  private:
    complex_array tau_;
    std::unique_ptr<complex_array> room_;
    int size_ = 0;
};

class gels_problem : public gpu_problem
{
  public:
    gels_problem(int64_t m, int64_t n, uint64_t seed) : gpu_problem(m, n, 1, seed), x_(size_t(m))
    {
        check(cusolverDnZZgels_bufferSize(lib().solver, m_, n_, 1, work_a_.get(), m_, work_b_.get(), m_, x_.get(), m_,
                                          nullptr, &bytes_),
              "ZZgels");
        room_ = std::make_unique<device_array<char>>(bytes_ > 0 ? bytes_ : 1);
    }

  protected:
    void run() override
    {
        cusolver_int_t steps = 0;
        check(cusolverDnZZgels(lib().solver, m_, n_, 1, work_a_.get(), m_, work_b_.get(), m_, x_.get(), m_,
                               room_->get(), bytes_, &steps, info_.get()),
              "ZZgels");
    }
    const cuDoubleComplex *solution() const override
    {
        return x_.get();
    }

  private:
    complex_array x_;
    std::unique_ptr<device_array<char>> room_;
    size_t bytes_ = 0;
};

class batched_problem : public gpu_problem
{
  public:
    batched_problem(int64_t systems, int64_t n, uint64_t seed)
        : gpu_problem(n, n, systems, seed), pivots_(size_t(n * systems)), of_a_(size_t(systems)), of_b_(size_t(systems))
    {
        std::vector<cuDoubleComplex *> a, b;
        for (int64_t s = 0; s < systems; s++) {
            a.push_back(work_a_.get() + s * n * n);
            b.push_back(work_b_.get() + s * n);
        }
        of_a_.put(a.data());
        of_b_.put(b.data());
    }

  protected:
    void run() override
    {
        int refused = 0;
        check(cublasZgetrfBatched(lib().blas, n_, of_a_.get(), n_, pivots_.get(), info_.get(), systems_),
              "ZgetrfBatched");
        check(cublasZgetrsBatched(lib().blas, CUBLAS_OP_N, n_, 1, of_a_.get(), n_, pivots_.get(), of_b_.get(), n_,
                                  &refused, systems_),
              "ZgetrsBatched");
    }

  private:
    device_array<int> pivots_;
    device_array<cuDoubleComplex *> of_a_, of_b_;
};

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

double time_runs(gpu_problem &p, int64_t count)
{
    p.wait();
    double start = bench_now_ns();
    for (int64_t i = 0; i < count; i++)
        p.solve();
    p.wait();
    return (bench_now_ns() - start) / double(count);
}

double time_of(gpu_problem &p, double target_ns)
{
    constexpr int64_t least = 20, most = 100000;
    time_runs(p, 2); // libraries load their kernels on first use
    double wanted = target_ns / time_runs(p, least);
    int64_t count = wanted < double(least) ? least : wanted > double(most) ? most : int64_t(wanted);
    return time_runs(p, count) / p.systems();
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
    int fields = std::sscanf(line, "%15s %31s d complex %" SCNd64 " %" SCNd64 " %" SCNu64 " %lf", verb, peer, &m, &n,
                             &seed, &target_ns);
    bool time = fields == 6 && !std::strcmp(verb, "time"), error = fields == 5 && !std::strcmp(verb, "error");
    try {
        std::unique_ptr<gpu_problem> problem = time || error ? make(peer, m, n, seed) : nullptr;
        if (problem != nullptr) {
            std::printf("%.6g\n", time ? time_of(*problem, target_ns) : problem->error());
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
                        "`plumb bench lsq --backend gpu` makes them.\n";
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
