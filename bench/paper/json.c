/* json.c - what `plumb bench paper` measured, as JSON: the only form in which pages see it. */
#include "bench/paper/paper.h"

static void write_case(json_writer *w, const paper_case *c)
{
    json_open_object(w, NULL);
    json_string(w, "work", paper_work_names[c->work]);
    json_string(w, "prec", plumb_prec_name(c->prec));
    json_string(w, "kind", c->parts == PLUMB_REAL ? "real" : "complex");
    json_int(w, "n", c->n);
    if (c->recalibrates != 0)
        json_string(w, "recalibrates", plumb_prec_name(c->recalibrates));
    for (int how = 0; how < PAPER_HOWS; how++)
        bench_gpu_json_number(w, paper_how_keys[how], c->us[how]);
    if (!isnan(c->us[PAPER_GPU])) {
        json_int(w, "gpu_runs", c->gpu_runs);
        json_double(w, "gpu_error", bench_rounded(c->gpu_error));
    }
    if (c->hurried)
        json_bool(w, "hurried", true);
    json_close_object(w);
}

void paper_json(const paper_run *run, FILE *out)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    bench_gpu_json_head(&w, "paper", run->commit, &run->on);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        write_case(&w, &run->cases[i]);
    json_close_array(&w);
    json_open_object(&w, "accuracy");
    accuracy_json_body(&run->accuracy, &w);
    json_close_object(&w);
    json_close_object(&w);
    json_end(&w);
}
