// lsq_libqd.cpp - least squares in libqd's dd_real and qd_real with FMA: in the accurate variants, and in the sloppy ones
// that a packaged libqd chooses, which are faster, lose accuracy where terms cancel and, in qd, a digit in products.
#include "libqd_config.h"
#include "lsq_mgs.h"

namespace
{

// A dd_real or qd_real in its sloppy variants. (libqd_config.h has settled what the operators of both do.)
template <class T> struct sloppy {
    T value;
    sloppy() = default;
    explicit sloppy(double x) : value(x)
    {
    }
    explicit sloppy(const T &x) : value(x)
    {
    }
};

dd_real sloppy_mul(const dd_real &x, const dd_real &y)
{
    return x * y; // there is only one
}
qd_real sloppy_mul(const qd_real &x, const qd_real &y)
{
    return qd_real::sloppy_mul(x, y);
}

template <class T> sloppy<T> operator+(const sloppy<T> &x, const sloppy<T> &y)
{
    return sloppy<T>(T::sloppy_add(x.value, y.value));
}
template <class T> sloppy<T> operator-(const sloppy<T> &x, const sloppy<T> &y)
{
    return sloppy<T>(T::sloppy_add(x.value, -y.value));
}
template <class T> sloppy<T> operator*(const sloppy<T> &x, const sloppy<T> &y)
{
    return sloppy<T>(sloppy_mul(x.value, y.value));
}
template <class T> sloppy<T> operator/(const sloppy<T> &x, const sloppy<T> &y)
{
    return sloppy<T>(x.value / y.value);
}
template <class T> sloppy<T> sqrt(const sloppy<T> &x)
{
    return sloppy<T>(sqrt(x.value));
}
template <class T> double to_double(const sloppy<T> &x)
{
    return to_double(x.value);
}

} // namespace

void solvers_libqd(lsq_solvers &solvers)
{
    if (!libqd_can_run())
        return;
    const char *accurate = "modified Gram-Schmidt with libqd, accurate variants, FMA";
    add_mgs_solvers<dd_real>(solvers, "libqd_fma", "dd", accurate);
    add_mgs_solvers<qd_real>(solvers, "libqd_fma", "qd", accurate);
    const char *quick = "modified Gram-Schmidt with libqd, sloppy variants, FMA";
    add_mgs_solvers<sloppy<dd_real>>(solvers, "libqd_fma_sloppy", "dd", quick);
    add_mgs_solvers<sloppy<qd_real>>(solvers, "libqd_fma_sloppy", "qd", quick);
}
