/* report.c - the results of plumb-bench track as text and as JSON. */
#include <math.h>

#include "bench/common/machine.h"
#include "bench/track/track.h"

/* Microseconds per thing, of which there are `per`; NaN if there are none. */
static double each(double us, int64_t per)
{
    return per > 0 ? us / (double)per : (double)NAN;
}

/* The time for all paths, scaled from those that were tracked. */
static double scaled(const bench_track_case *c, const bench_track_result *r)
{
    return r->paths > 0 ? r->us * (double)c->paths / (double)r->paths : (double)NAN;
}

static double time_of(const bench_track_result *r)
{
    return r->paths > 0 ? r->us : (double)NAN;
}

static bool one_path(const bench_track_case *c)
{
    return c->paths == 1;
}

void bench_track_print(const void *data, FILE *out)
{
    const bench_track_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): microseconds, per step of one path, or for all of many paths\n"
            "  %-6s %-8s %3s %-2s %6s %10s %10s %10s %8s %8s %9s\n",
            plumb_version(), run->on.gpu != NULL ? run->on.device.name : "no GPU", m.cpu,
            plumb_context_isa(run->on.one), m.cores, "", "", "n", "", "paths", "gpu", "all cores", "one core",
            "success", "steps", "bytes/step");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_track_case *c = &run->cases[i];
        const bench_track_result *r = run->on.gpu != NULL ? &c->gpu : one_path(c) ? &c->one : &c->all;
        if (c->absent)
            continue;
        fprintf(out, "  %-6s %-8s %3lld %-2s %6lld", c->of->mode, c->of->name, (long long)c->of->n,
                plumb_prec_name(c->prec), (long long)c->paths);
        bench_gpu_print_time(out, one_path(c) ? each(c->gpu.us, c->gpu.steps) : time_of(&c->gpu));
        bench_gpu_print_time(out, time_of(&c->all));
        bench_gpu_print_time(out, one_path(c) ? each(c->one.us, c->one.steps) : scaled(c, &c->one));
        fprintf(out, " %8lld %8lld %9.0f\n", (long long)r->codes[PLUMB_PATH_SUCCESS], (long long)r->steps,
                each((double)(r->to_device + r->to_host), r->steps));
    }
    for (int32_t i = 0; run->has_newton && i < BENCH_NEWTON_ROWS; i++) {
        const bench_newton_row *r = &run->newton[i];
        fprintf(out, "  %-6s %-8s %3lld %-2s %6s", "newton", "paper", (long long)r->n, plumb_prec_name(r->prec), "");
        bench_gpu_print_time(out, run->on.gpu != NULL ? r->us : (double)NAN);
        bench_gpu_print_time(out, r->cpuall_us);
        bench_gpu_print_time(out, run->on.gpu != NULL ? r->cpu1_us : r->us);
        fprintf(out, "\n");
    }
    fprintf(out, "\nnewton: one step. one core: a sample of many paths, scaled. The run took %.0f s.\n", run->seconds);
}

static void write_codes(json_writer *w, const char *key, const bench_track_result *r)
{
    if (r->paths == 0)
        return;
    json_open_object(w, key);
    for (int32_t code = 0; code < PLUMB_PATH_CODES; code++)
        if (r->codes[code] > 0)
            json_int(w, plumb_path_text((plumb_path_code)code), r->codes[code]);
    json_close_object(w);
}

static void write_one_path(json_writer *w, const bench_track_run *run, const bench_track_case *c)
{
    const bench_track_result *r = run->on.gpu != NULL ? &c->gpu : &c->one;
    bench_gpu_json_number(w, "us", each(r->us, r->steps));
    bench_gpu_json_number(w, "us_solve", each(r->us, r->solves));
    bench_gpu_json_number(w, "path_us", r->us);
    bench_gpu_json_number(w, "steps_per_second", 1e6 / each(r->us, r->steps));
    bench_gpu_json_number(w, "cpu1_us", each(c->one.us, c->one.steps));
    bench_gpu_json_number(w, "cpu1_us_solve", each(c->one.us, c->one.solves));
    bench_gpu_json_number(w, "cpu1_path_us", c->one.us);
}

static void write_many(json_writer *w, const bench_track_run *run, const bench_track_case *c)
{
    const bench_track_result *r = run->on.gpu != NULL ? &c->gpu : &c->all;
    bench_gpu_json_number(w, "us", r->us);
    bench_gpu_json_number(w, "paths_per_second", 1e6 * (double)c->paths / r->us);
    bench_gpu_json_number(w, "cpuall_us", c->all.us);
    bench_gpu_json_number(w, "cpu1_us", scaled(c, &c->one));
    json_int(w, "cpu1_sample", c->one.paths);
    json_bool(w, "cpu1_scaled", c->one.paths < c->paths);
    json_int(w, "cpuall_steps", c->all.steps);
    write_codes(w, "cpuall_paths_by_code", &c->all);
}

static void write_case(json_writer *w, const bench_track_run *run, const bench_track_case *c)
{
    const bench_track_result *r = run->on.gpu != NULL ? &c->gpu : one_path(c) ? &c->one : &c->all;
    json_open_object(w, NULL);
    json_string(w, "mode", c->of->mode);
    json_string(w, "system", c->of->name);
    json_int(w, "n", c->of->n);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_int(w, "paths", c->paths);
    if (one_path(c))
        write_one_path(w, run, c);
    else
        write_many(w, run, c);
    json_int(w, "steps", r->steps);
    json_int(w, "rejected", r->rejected);
    json_int(w, "solves", r->solves);
    json_int(w, "to_device", r->to_device);
    json_int(w, "to_host", r->to_host);
    bench_gpu_json_number(w, "bytes_per_step", each((double)(r->to_device + r->to_host), r->steps));
    json_int(w, "success", r->codes[PLUMB_PATH_SUCCESS]);
    write_codes(w, "paths_by_code", r);
    json_bool(w, "agrees", bench_track_agrees(run, c));
    json_close_object(w);
}

void bench_track_json(const void *data, FILE *out)
{
    const bench_track_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "track", run->commit, &run->on);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    if (run->has_newton)
        bench_newton_json_rows(&w, run->newton);
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].absent)
            write_case(&w, run, &run->cases[i]);
    json_close_array(&w);
    bench_json_end(&w);
}
