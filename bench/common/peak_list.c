/* peak_list.c - finds the peak loops of an instruction set by its name. The build writes peak_list.h, with one
 * X(isa) for each compilation of peak.c in PLUMB_PEAK_LIST. */
#include <string.h>

#include "bench/common/common.h"
#include "bench/common/peak.h"
#include "peak_list.h"

#define DECLARE(isa) extern const bench_peak plumb_peak_##isa;
PLUMB_PEAK_LIST(DECLARE)

#define ADDRESS(isa) &plumb_peak_##isa,
static const bench_peak *const peaks[] = {PLUMB_PEAK_LIST(ADDRESS)};

const bench_peak *bench_peak_find(const char *isa)
{
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++)
        if (strcmp(peaks[i]->isa, isa) == 0)
            return peaks[i];
    return NULL;
}

double bench_peak_of(const char *isa, double target_ns)
{
    const bench_peak *peak = bench_peak_find(isa);
    bench_timer timer[PEAK_KINDS] = {{0}};
    return peak != NULL ? bench_peak_sample(peak, timer, target_ns) : 0.0;
}
