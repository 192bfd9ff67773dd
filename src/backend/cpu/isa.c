/* isa.c - the instruction sets that are compiled in, those that this CPU has, and the best of them.
 *
 * The build compiles kernels.c for each instruction set and defines PLUMB_HAVE_<ISA>. */
#include <string.h>

#include "backend/cpu/kernels.h"
#include "base/call/message.h"

static int always(void)
{
    return 1;
}

#define ISA_TABLE(isa, lane_count, usable_test) \
    PREC_KERNELS(d, isa);                       \
    PREC_KERNELS(dd, isa);                      \
    PREC_KERNELS(qd, isa);                      \
    static const isa_kernels isa##_kernels = {  \
        #isa,                                   \
        lane_count,                             \
        usable_test,                            \
        {[PLUMB_D] = &d_##isa##_kernels, [PLUMB_DD] = &dd_##isa##_kernels, [PLUMB_QD] = &qd_##isa##_kernels}}

ISA_TABLE(scalar, 1, always);
#ifdef PLUMB_HAVE_NEON
ISA_TABLE(neon, 2, always); /* part of every arm64 */
#endif
#if defined(PLUMB_HAVE_AVX2) || defined(PLUMB_HAVE_AVX512)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif
#ifdef PLUMB_HAVE_AVX2
ISA_TABLE(avx2, 4, has_avx2);
#endif
#ifdef PLUMB_HAVE_AVX512
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && has_avx2();
}
ISA_TABLE(avx512, 8, has_avx512);
#endif

const isa_kernels *const plumb_cpu_isas[] = {
    &scalar_kernels,
#ifdef PLUMB_HAVE_NEON
    &neon_kernels,
#endif
#ifdef PLUMB_HAVE_AVX2
    &avx2_kernels,
#endif
#ifdef PLUMB_HAVE_AVX512
    &avx512_kernels,
#endif
};
const int32_t plumb_cpu_isa_count = (int32_t)(sizeof plumb_cpu_isas / sizeof plumb_cpu_isas[0]);

const isa_kernels *plumb_cpu_isa_find(const char *name)
{
    for (int32_t i = plumb_cpu_isa_count - 1; i >= 0; i--) {
        const isa_kernels *isa = plumb_cpu_isas[i];
        if ((!name || strcmp(name, isa->name) == 0) && isa->usable())
            return isa;
    }
    return NULL;
}

int32_t plumb_isa_count(void)
{
    return plumb_cpu_isa_count;
}

plumb_status plumb_isa_query(int32_t index, plumb_isa_info *info)
{
    if (!info)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "info is NULL");
    if (index < 0 || index >= plumb_cpu_isa_count)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no instruction set %d, only 0 to %d", (int)index,
                         (int)plumb_cpu_isa_count - 1);
    const isa_kernels *isa = plumb_cpu_isas[index];
    *info = (plumb_isa_info){.name = isa->name,
                             .lanes = isa->lanes,
                             .usable = isa->usable() ? 1 : 0,
                             .best = isa == plumb_cpu_isa_find(NULL)};
    return PLUMB_OK;
}
