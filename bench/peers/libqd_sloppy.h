// libqd_sloppy.h - a dd_real or qd_real in the sloppy variants that a packaged libqd chooses, which are faster, lose accuracy
// where terms cancel and, in qd, a digit in products. (libqd_config.h has settled what the operators of both do.)
#ifndef PLUMB_PEERS_LIBQD_SLOPPY_H
#define PLUMB_PEERS_LIBQD_SLOPPY_H

#include "libqd_config.h"

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

static inline dd_real sloppy_mul(const dd_real &x, const dd_real &y)
{
    return x * y; // there is only one
}
static inline qd_real sloppy_mul(const qd_real &x, const qd_real &y)
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

#endif
