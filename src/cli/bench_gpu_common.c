/* bench_gpu_common.c - see bench_gpu_common.h. */
#include "cli/bench_gpu_common.h"

#include "backend/cuda/device_time.h"
#include "cli/cli.h"
#include "solver/context.h"

/* ---- Machines ------------------------------------------------------------------------------------------------ */

static int open_gpu(const char *command, bench_gpu_machines *on)
{
    plumb_context_options options;
    machine *m = NULL;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    int result = cli_context_create(command, &options, &on->gpu);
    if (result != CLI_OK)
        return result;
    plumb_status status = plumb_context_machine(on->gpu, PLUMB_DEVICE, &m);
    if (status == PLUMB_OK)
        status = plumb_device_query(m->device, &on->device);
    if (status == PLUMB_OK)
        status = plumb_gpu_double_rate(m, &on->double_rate);
    return status == PLUMB_OK ? CLI_OK : cli_context_fail(command, on->gpu, status);
}

int bench_gpu_open(const char *command, const char *isa, bench_gpu_machines *on)
{
    plumb_context_options options;
    int result = open_gpu(command, on);
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = isa;
    if (result == CLI_OK)
        result = cli_context_create(command, &options, &on->all);
    options.threads = 1;
    return result == CLI_OK ? cli_context_create(command, &options, &on->one) : result;
}

void bench_gpu_close(bench_gpu_machines *on)
{
    plumb_context_destroy(on->gpu);
    plumb_context_destroy(on->one);
    plumb_context_destroy(on->all);
}

const char *bench_gpu_why(const bench_gpu_machines *on, plumb_status status)
{
    const char *why = plumb_context_message(on->gpu);
    return why[0] ? why : plumb_status_text(status);
}

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
