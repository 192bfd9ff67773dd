// gpu_problems.h - systems of the benchmark on a GPU, and how NVIDIA's libraries solve them: see gpu.cpp.
#ifndef PLUMB_GPU_PROBLEMS_H
#define PLUMB_GPU_PROBLEMS_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers.h"

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
        check(cudaDeviceSynchronize(), "copy"); // our stream does not wait for the default stream
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
        open();
    }
    // Also after a recording that failed, which may leave the stream and the handles in any state.
    void open()
    {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        check(cublasCreate(&blas), "cuBLAS");
        check(cublasSetStream(blas, stream), "cuBLAS");
        check(cusolverDnCreate(&solver), "cuSOLVER");
        check(cusolverDnSetStream(solver, stream), "cuSOLVER");
    }
};

inline libraries &lib()
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
    void spoil() const // so that x is correct only if it is computed again
    {
        wait();
        check(
            cudaMemsetAsync(work_b_.get(), 0xff, size_t(m_) * size_t(systems_) * sizeof(cuDoubleComplex), lib().stream),
            "clearing");
    }
    void wait() const
    {
        check(cudaStreamSynchronize(lib().stream), "waiting");
    }
    int systems() const
    {
        return systems_;
    }
    double error() const // of the last solve
    {
        std::vector<double> x(size_t(2) * size_t(m_) * size_t(systems_));
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

#endif
