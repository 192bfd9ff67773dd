// lsq_lapack.cpp - LAPACK's dgels and zgels (Householder QR) in doubles, from the reference library and from OpenBLAS.
//
// Which of the two is faster on one core depends on n: the reference for small ones, OpenBLAS for large ones. Both
// export the same names, so neither is linked: each is opened separately. The reference LAPACK asks for "libblas.so.3", which
// an installed OpenBLAS provides too, so the reference BLAS is opened first and found under that name.
#include "solvers.h"

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace
{

// As gfortran calls them: everything by address, the length of a character argument at the end.
template <class T>
using gels_function = void (*)(const char *trans, const int *m, const int *n, const int *nrhs, T *a, const int *lda,
                               T *b, const int *ldb, T *work, const int *lwork, int *info, size_t trans_length);

struct zomplex {
    double re, im;
};

double first_part(double x)
{
    return x;
}
double first_part(zomplex x)
{
    return x.re;
}
double distance_from_one(double x)
{
    return std::fabs(x - 1.0);
}
double distance_from_one(zomplex x)
{
    return std::hypot(x.re - 1.0, x.im);
}

template <class T> class gels_problem : public lsq_problem
{
  public:
    gels_problem(const lsq_shape &s, gels_function<T> function)
        : gels(function), m(int(s.m)), n(int(s.n)), a(size_t(s.m * s.n)), b(size_t(s.m)), qr(a), x(b), work(1)
    {
        lsq_data data(s, 1, int(sizeof(T) / sizeof(double)));
        std::memcpy(a.data(), data.a.data(), data.a.size() * sizeof(double));
        std::memcpy(b.data(), data.b.data(), data.b.size() * sizeof(double));
        call(-1); // asks for the best size of its work space
        work.resize(size_t(first_part(work[0])));
    }
    void solve() override
    {
        qr = a;
        x = b;
        call(int(work.size()));
    }
    double error() override
    {
        double largest = info == 0 ? 0 : INFINITY;
        for (size_t j = 0; j < size_t(n); j++)
            largest = std::fmax(largest, distance_from_one(x[j]));
        return largest;
    }

  private:
    void call(int room)
    {
        const int one = 1;
        gels("N", &m, &n, &one, qr.data(), &m, x.data(), &m, work.data(), &room, &info, 1);
    }
    gels_function<T> gels;
    int m, n, info = 0;
    std::vector<T> a, b, qr, x, work;
};

template <class T>
void add(lsq_solvers &solvers, void *library, const char *peer, const char *name, const char *kind,
         const std::string &what)
{
    auto gels = reinterpret_cast<gels_function<T>>(dlsym(library, name));
    if (gels == nullptr)
        return;
    std::string text = std::string(name, 5) + ", Householder QR, " + what + ", one thread";
    solvers.push_back({peer, "d", kind, text, [gels](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                           if (s.m > INT_MAX)
                               return nullptr;
                           return std::make_unique<gels_problem<T>>(s, gels);
                       }});
}

template <class T>
using gemm_function = void (*)(const char *, const char *, const int *, const int *, const int *, const T *, const T *,
                               const int *, const T *, const int *, const T *, T *, const int *, size_t, size_t);

// A product of square matrices (plumb-bench gemm): the kinds product and zproduct.
template <class T> class gemm_problem : public lsq_problem
{
  public:
    gemm_problem(const lsq_shape &s, gemm_function<T> function)
        : gemm(function), n(int(s.n)), a(size_t(s.n * s.n)), b(a), c(a)
    {
        lsq_data data(s, 1, int(sizeof(T) / sizeof(double)));
        std::memcpy(a.data(), data.a.data(), data.a.size() * sizeof(double));
        b = a;
    }
    void solve() override
    {
        T one{}, zero{};
        std::memcpy(&one, &unit, sizeof unit);
        gemm("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n, 1, 1);
    }
    double error() override
    {
        return 0;
    }

  private:
    gemm_function<T> gemm;
    const double unit = 1.0;
    int n;
    std::vector<T> a, b, c;
};

template <class T>
void add_product(lsq_solvers &solvers, void *library, const char *peer, const char *name, const char *kind,
                 const std::string &what)
{
    auto gemm = reinterpret_cast<gemm_function<T>>(dlsym(library, name));
    if (gemm == nullptr)
        return;
    solvers.push_back({peer, "d", kind, std::string(name, 5) + ", " + what + ", one thread",
                       [gemm](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                           return s.m == s.n ? std::make_unique<gemm_problem<T>>(s, gemm) : nullptr;
                       }});
}

// "LAPACK 3.11.0 of OpenBLAS 0.3.21 ... neoversev1"
std::string describe(void *library)
{
    std::string text = "LAPACK";
    int version[3];
    if (auto ilaver = reinterpret_cast<void (*)(int *, int *, int *)>(dlsym(library, "ilaver_"))) {
        ilaver(&version[0], &version[1], &version[2]);
        for (int i = 0; i < 3; i++)
            text += (i == 0 ? " " : ".") + std::to_string(version[i]);
    }
    if (auto config = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_config")))
        return text + " with " + config();
    return text + " with the reference BLAS";
}

void add_library(lsq_solvers &solvers, const char *peer, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return;
    std::string what = describe(library);
    add<double>(solvers, library, peer, "dgels_", "real", what);
    add<zomplex>(solvers, library, peer, "zgels_", "complex", what);
    add_product<double>(solvers, library, peer, "dgemm_", "product", what);
    add_product<zomplex>(solvers, library, peer, "zgemm_", "zproduct", what);
}

} // namespace

void solvers_lapack(lsq_solvers &solvers)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // read when the library is opened
#ifdef PEERS_LAPACK
    dlopen(PEERS_REFERENCE_BLAS, RTLD_NOW | RTLD_LOCAL);
    add_library(solvers, "lapack", PEERS_LAPACK);
#endif
#ifdef PEERS_OPENBLAS
    add_library(solvers, "openblas", PEERS_OPENBLAS);
#endif
}
