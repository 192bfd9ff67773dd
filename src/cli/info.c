/* info.c - plumb info: what this build can do on this computer, and why no GPU is used. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/report.h"
#include "app/run/host.h"
#include "backend/backend.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "solver/ranks/ranks.h"

#if defined(__x86_64__)
#define ARCHITECTURE "x86-64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#define ARCHITECTURE "other"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

typedef struct info_words {
    bool json, mpi;
} info_words;

static const app_option options[] = {
    {0, "mpi", APP_FLAG, offsetof(info_words, mpi), NULL,
     "show the MPI library, and under mpirun or srun the ranks, their threads and GPUs", NULL, 0, 0, NULL},
    APP_JSON(info_words, json),
    APP_OPTIONS_END,
};
static const info_words defaults = {.json = false};

static void write_device_json(json_writer *w, int32_t index, const plumb_device_info *info)
{
    char capability[32];
    snprintf(capability, sizeof capability, "%d.%d", (int)info->capability_major, (int)info->capability_minor);
    json_open_object(w, NULL);
    json_int(w, "index", index);
    json_string(w, "name", info->name);
    json_int(w, "memory_total", info->memory_total);
    json_int(w, "memory_free", info->memory_free);
    json_string(w, "capability", capability);
    json_int(w, "multiprocessors", info->multiprocessors);
    json_bool(w, "usable", info->usable != 0);
    json_string(w, "reason", info->usable ? NULL : info->why);
    json_close_object(w);
}

/* A device that does not answer is shown with the reason. */
static void query(int32_t index, plumb_device_info *info)
{
    memset(info, 0, sizeof *info);
    plumb_status status = plumb_device_query(index, info);
    if (status != PLUMB_OK && !info->why[0])
        snprintf(info->why, sizeof info->why, "%s", plumb_status_text(status));
}

/* One line per rank: computer, threads for tracking, GPU. Rank 0 writes those of the others as they come. */
static void describe_rank(char *text, size_t size)
{
    char name[128] = "";
    plumb_device_info gpu;
    const bool has_gpu = plumb_device_query(ranks_device(PLUMB_BACKEND_AUTO), &gpu) == PLUMB_OK && gpu.usable;
    (void)gethostname(name, sizeof name - 1);
    char alone[64] = "";
    const int threads = (int)ranks_threads(0);
    if (!ranks_is_worker())
        snprintf(alone, sizeof alone, " (%d while the others wait)", (int)ranks_threads_alone(0));
    snprintf(text, size, "rank %-9d%s, %d thread%s%s, %s%s", (int)ranks_own(), name, threads, threads == 1 ? "" : "s",
             alone, has_gpu ? "GPU " : "no GPU", has_gpu ? gpu.name : "");
}

static int write_ranks(void)
{
    char text[640];
    ranks_message m;
    describe_rank(text, sizeof text);
    if (ranks_is_worker()) {
        ranks_send(0, RANKS_HELLO, text, strlen(text) + 1);
        return APP_OK;
    }
    char **lines = calloc((size_t)ranks_count(), sizeof *lines);
    if (lines == NULL)
        return app_fail("info", "out of memory");
    const double since = plumb_clock_seconds();
    printf("%-14s%d\n%s\n", "ranks", (int)ranks_count(), text);
    for (int32_t left = ranks_count() - 1; left > 0 && plumb_clock_seconds() < since + 10;) {
        if (!ranks_receive(&m))
            continue;
        if (m.tag == RANKS_HELLO && lines[m.from] == NULL) {
            lines[m.from] = m.bytes;
            left--;
        } else {
            free(m.bytes);
        }
    }
    for (int32_t k = 1; k < ranks_count(); k++) {
        if (lines[k] != NULL)
            printf("%s\n", lines[k]);
        else
            printf("rank %-9ddoes not answer\n", (int)k);
        free(lines[k]);
    }
    free((void *)lines);
    return APP_OK;
}

static int info_mpi(void)
{
    char text[512];
    const bool usable = ranks_about(text, sizeof text);
    const bool launched = usable && ranks_are_launched();
    int result = launched ? app_ranks_begin("info") : APP_OK;
    if (result != APP_OK)
        return result;
    if (!ranks_is_worker())
        printf("%-14s%s%s\n", "MPI", usable ? "" : "none: ", text);
    if (launched)
        result = write_ranks();
    else if (usable)
        printf("%-14snone: mpirun -n N plumb info --mpi shows them\n", "ranks");
    return ranks_end(result);
}

/* The default of the option, which is its largest value, too. */
static int32_t most_digits(void)
{
    plumb_solve_options solving;
    plumb_solve_options_init(&solving);
    return solving.max_digits;
}

static void write_json(const plumb_context *context)
{
    json_writer w = app_report_begin(stdout, "info");
    json_open_array(&w, "precisions");
    for (int i = 0; i < PRECISIONS; i++)
        json_string(&w, NULL, plumb_prec_name(precisions[i]));
    json_close_array(&w);
    json_open_array(&w, "isas");
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info isa;
        if (plumb_isa_query(i, &isa) != PLUMB_OK)
            continue;
        json_open_object(&w, NULL);
        json_string(&w, "name", isa.name);
        json_int(&w, "lanes", isa.lanes);
        json_bool(&w, "usable", isa.usable != 0);
        json_bool(&w, "chosen", strcmp(isa.name, plumb_context_isa(context)) == 0);
        json_close_object(&w);
    }
    json_close_array(&w);
    json_open_object(&w, "mpfr");
    json_string(&w, "version", plumb_mpfr_version());
    json_int(&w, "max_digits", most_digits());
    json_close_object(&w);
    json_string(&w, "isa", plumb_context_isa(context));
    json_int(&w, "threads", plumb_context_threads(context));

    char why[256];
    int32_t devices = plumb_device_count(why, sizeof why);
    json_open_object(&w, "cuda");
    json_bool(&w, "built", plumb_gpu_built() != 0);
    json_string(&w, "reason", devices > 0 ? NULL : why);
    json_open_array(&w, "devices");
    for (int32_t i = 0; i < devices; i++) {
        plumb_device_info info;
        query(i, &info);
        write_device_json(&w, i, &info);
    }
    json_close_array(&w);
    json_close_object(&w);
    char arb[256];
    const bool certify = plumb_certify_available(arb, sizeof arb) != 0;
    json_open_object(&w, "certify");
    json_bool(&w, "usable", certify);
    json_string(&w, "reason", certify ? NULL : arb);
    json_string(&w, "library", certify ? arb : NULL);
    json_close_object(&w);
    json_string(&w, "arch", ARCHITECTURE);
    json_string(&w, "compiler", COMPILER);
    app_report_end(&w);
}

static void write_text(const plumb_context *context)
{
    printf("plumb %s, %s, %s\n", plumb_version(), ARCHITECTURE, COMPILER);
    printf("%-14s", "precisions");
    for (int i = 0; i < PRECISIONS; i++)
        printf("%s%s", i ? ", " : "", plumb_prec_name(precisions[i]));
    printf("\n%-14sMPFR %s, up to %d digits where quad doubles are not enough\n", "", plumb_mpfr_version(),
           (int)most_digits());
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info isa;
        if (plumb_isa_query(i, &isa) != PLUMB_OK)
            continue;
        printf("%-14s%-7s %d lane%s%s\n", i ? "" : "instructions", isa.name, (int)isa.lanes, isa.lanes == 1 ? "" : "s",
               strcmp(isa.name, plumb_context_isa(context)) == 0 ? ", chosen"
               : isa.usable                                      ? ""
                                                                 : ", not on this processor");
    }
    printf("%-14s%d\n", "threads", (int)plumb_context_threads(context));

    char why[256];
    const bool certify = plumb_certify_available(why, sizeof why) != 0;
    printf("%-14s%s%s\n", "certificates", certify ? "by " : "none: ", why);
    int32_t devices = plumb_device_count(why, sizeof why);
    printf("%-14s%s\n", "CUDA", plumb_gpu_built() ? "compiled in" : "not compiled in");
    if (devices == 0 && plumb_gpu_built())
        printf("%-14snone: %s\n", "GPUs", why);
    for (int32_t i = 0; i < devices; i++) {
        plumb_device_info info;
        query(i, &info);
        printf("GPU %-10d%s, %.1f of %.1f GiB free, compute capability %d.%d, %d multiprocessors", (int)i, info.name,
               (double)info.memory_free * 0x1p-30, (double)info.memory_total * 0x1p-30, (int)info.capability_major,
               (int)info.capability_minor, (int)info.multiprocessors);
        printf("%s%s\n", info.usable ? "" : ", not usable: ", info.usable ? "" : info.why);
    }
}

static int info(const void *values)
{
    const info_words *words = values;
    plumb_context *context;
    if (words->mpi)
        return words->json ? app_misuse("info", "--mpi and --json exclude each other") : info_mpi();
    int result = app_context_create("info", NULL, &context);
    if (result != APP_OK)
        return result;
    if (words->json)
        write_json(context);
    else
        write_text(context);
    plumb_context_destroy(context);
    return APP_OK;
}

const app_command plumb_cli_info = {
    .name = "info",
    .summary = "show version, precisions, instruction sets, threads and GPUs",
    .arguments = "[OPTIONS]",
    .about =
        "Shows what this build can do on this computer: version, precisions, instruction sets (compiled in, usable, "
        "chosen), threads, the library that certifies solutions, and GPUs with their memory and compute capability, or "
        "why none can be used. The environment "
        "variable PLUMB_ISA chooses another instruction set than the best one.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = info,
};
