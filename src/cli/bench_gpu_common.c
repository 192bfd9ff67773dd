/* bench_gpu_common.c - see bench_gpu_common.h. */
#include "cli/bench_gpu_common.h"

#include "backend/cuda/device_time.h"

/* ---- Results ------------------------------------------------------------------------------------------------- */

void bench_gpu_print_time(FILE *out, double us)
{
    if (isnan(us))
        fprintf(out, " %10s", ".");
    else
        fprintf(out, " %10.*f", us < 10 ? 3 : us < 1000 ? 1 : 0, us);
}

void bench_gpu_json_number(json_writer *w, const char *key, double x)
{
    if (!isnan(x))
        json_double(w, key, bench_rounded(x));
}

void bench_gpu_json_head(json_writer *w, const char *benchmark, const char *commit, const bench_gpu_machines *on)
{
    char capability[32], driver[32];
    int32_t version = plumb_gpu_driver();
    snprintf(capability, sizeof capability, "%d.%d", (int)on->device.capability_major,
             (int)on->device.capability_minor);
    snprintf(driver, sizeof driver, "CUDA %d.%d", (int)(version / 1000), (int)(version % 1000 / 10));
    bench_json_head(w, benchmark, commit);
    json_string(w, "backend", "gpu");
    json_string(w, "device", on->device.name);
    json_string(w, "driver", driver);
    json_string(w, "capability", capability);
    json_int(w, "multiprocessors", on->device.multiprocessors);
    json_double(w, "double_rate", bench_rounded(on->double_rate));
    json_string(w, "isa", plumb_context_isa(on->one));
    json_int(w, "threads", plumb_context_threads(on->all));
}
