/* mgs_plan.c - which kernels take a shape: see mgs_plan.h. */
#include "backend/cuda/mgs_plan.h"

mgs_plan plumb_mgs_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                        int64_t batch, mgs_regime want)
{
    (void)limits, (void)prec, (void)parts, (void)rows, (void)cols, (void)all, (void)batch;
    mgs_plan plan = {.regime = MGS_COLUMNS, .keep_columns = 1};
    if (want != MGS_AUTO && want != MGS_COLUMNS)
        plan.regime = MGS_AUTO;
    return plan;
}
