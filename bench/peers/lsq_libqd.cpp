// lsq_libqd.cpp - least squares in libqd's dd_real and qd_real with FMA: in the accurate variants, and with the sloppy
// additions that a packaged libqd chooses, which are faster and lose accuracy where terms cancel.
#include "libqd_config.h"
#include "lsq_mgs.h"

namespace
{

// A dd_real or qd_real that is added sloppily. (libqd_config.h has settled what the operator + of both does.)
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
    return sloppy<T>(x.value * y.value);
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
    const char *quick = "modified Gram-Schmidt with libqd, sloppy additions, FMA";
    add_mgs_solvers<sloppy<dd_real>>(solvers, "libqd_fma_sloppy", "dd", quick);
    add_mgs_solvers<sloppy<qd_real>>(solvers, "libqd_fma_sloppy", "qd", quick);
}
