// libqd_config.h - libqd's headers (Hida, Li, Bailey) at their best: inline, accurate variants, with FMA in two_prod.
//
// A distribution builds libqd without FMA and lets its headers choose the sloppy variants. Both are
// controlled by macros, which this file sets before it includes the headers. x86-64 needs -mfma.
#ifndef PLUMB_PEERS_LIBQD_CONFIG_H
#define PLUMB_PEERS_LIBQD_CONFIG_H

#include <qd/qd_config.h>

#undef QD_FMA
#undef QD_FMS
#undef QD_IEEE_ADD
#undef QD_SLOPPY_MUL
#undef QD_SLOPPY_DIV
#define QD_FMA(a, b, c) __builtin_fma(a, b, c)
#define QD_FMS(a, b, c) __builtin_fma(a, b, -(c))
#define QD_IEEE_ADD 1
#ifndef QD_INLINE
#error "libqd's headers are not inline here: the comparison would measure calls"
#endif

#include <qd/dd_real.h>
#include <qd/qd_real.h>

// Does this processor support the instructions of -mfma?
static inline bool libqd_can_run()
{
#ifdef __x86_64__
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

#endif
