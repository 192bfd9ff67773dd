/* report.c - the results of plumb-bench parameters as text and as JSON. */
#include <math.h>

#include "bench/common/machine.h"
#include "bench/parameters/parameters.h"

/* Microseconds per target; NaN if there are none. */
static double each(const bench_parameters_case *c, const bench_parameters_result *r)
{
    return r->targets == 0 ? (double)NAN : c->one ? r->us : r->us / (double)r->targets;
}

static const bench_parameters_result *own_result(const bench_parameters_run *run, const bench_parameters_case *c)
{
    return run->on.gpu != NULL ? &c->gpu : &c->all;
}

static const char *precision_of(const bench_parameters_case *c)
{
    return c->prec ? plumb_prec_name(c->prec) : "auto";
}

void bench_parameters_print(const void *data, FILE *out)
{
    const bench_parameters_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): microseconds per target\n"
            "  %-16s %3s %6s %-4s %8s %10s %10s %10s %8s %8s %10s\n",
            plumb_version(), run->on.gpu != NULL ? run->on.device.name : "no GPU", m.cpu,
            plumb_context_isa(run->on.one), m.cores, "", "n", "paths", "", "targets", "gpu", "all cores", "one core",
            "generic", "special", "incomplete");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_parameters_case *c = &run->cases[i];
        const bench_parameters_result *r = own_result(run, c);
        if (c->absent)
            continue;
        fprintf(out, "  %-16s %3lld %6lld %-4s %8lld", c->name, (long long)plumb_family_unknowns(c->family),
                (long long)plumb_family_paths(c->family), precision_of(c), c->one ? 1 : (long long)c->targets);
        bench_gpu_print_time(out, each(c, &c->gpu));
        bench_gpu_print_time(out, each(c, &c->all));
        bench_gpu_print_time(out, each(c, &c->core));
        fprintf(out, " %8lld %8lld %10lld\n", (long long)r->outcome[PLUMB_INSTANCE_GENERIC],
                (long long)r->outcome[PLUMB_INSTANCE_SPECIAL], (long long)r->outcome[PLUMB_INSTANCE_INCOMPLETE]);
    }
    fprintf(out, "\nTargets one at a time: the median time of some. The run took %.0f s.\n", run->seconds);
}

static void write_case(json_writer *w, const bench_parameters_run *run, const bench_parameters_case *c)
{
    const bench_parameters_result *r = own_result(run, c);
    const int64_t paths = plumb_family_paths(c->family);
    json_open_object(w, NULL);
    json_string(w, "mode", c->one ? "one" : "many");
    json_string(w, "family", c->name);
    json_string(w, "precision", precision_of(c));
    json_int(w, "n", plumb_family_unknowns(c->family));
    json_int(w, "parameter_count", plumb_family_parameters(c->family));
    json_int(w, "paths", paths);
    json_int(w, "targets", c->one ? 1 : r->targets);
    json_int(w, "timed_targets", r->targets);
    bench_gpu_json_number(w, "us", each(c, r));
    bench_gpu_json_number(w, "paths_per_second", 1e6 * (double)paths / each(c, r));
    bench_gpu_json_number(w, "cpuall_us", each(c, &c->all));
    json_int(w, "cpuall_targets", c->all.targets);
    bench_gpu_json_number(w, "cpu1_us", each(c, &c->core));
    json_int(w, "cpu1_targets", c->core.targets);
    json_int(w, "generic_targets", r->outcome[PLUMB_INSTANCE_GENERIC]);
    json_int(w, "special_targets", r->outcome[PLUMB_INSTANCE_SPECIAL]);
    json_int(w, "incomplete_targets", r->outcome[PLUMB_INSTANCE_INCOMPLETE]);
    json_int(w, "solution_count", r->solutions);
    json_int(w, "real_count", r->real);
    json_bool(w, "agrees", bench_parameters_agrees(run, c));
    json_close_object(w);
}

void bench_parameters_json(const void *data, FILE *out)
{
    const bench_parameters_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "parameters", run->commit, &run->on);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].absent)
            write_case(&w, run, &run->cases[i]);
    json_close_array(&w);
    bench_json_end(&w);
}
