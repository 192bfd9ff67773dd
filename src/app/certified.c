/* certified.c - see certified.h. */
#include "app/certified.h"

#include <gmp.h>
#include <string.h>
#include <unistd.h>

#include "app/stop.h"
#include "base/os/clock.h"
#include "model/system/dependent.h"
#include "model/system/system.h"
#include "solver/multihomogeneous/groups.h"
#include "text/solutions/certificate.h"

/* Enumerations of mixed cells that take longer than this, about a second, are given up. */
enum { MOST_STEPS = 2000000 };

static int show_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)failed;
    if (*(const bool *)data)
        fprintf(stderr, "\r\033[K%lld of %lld solutions certified", (long long)done, (long long)total);
    return app_stopped();
}

plumb_status app_certify(plumb_context *context, const plumb_system *system, const plumb_view *x,
                         const plumb_certify_options *options, bool shown, plumb_certificates **certificates,
                         double *seconds)
{
    plumb_certify_options settings = *options;
    bool on_terminal = shown && isatty(STDERR_FILENO);
    settings.progress = show_progress;
    settings.data = &on_terminal;
    const double begin = plumb_clock_seconds();
    plumb_status status = plumb_certify(context, system, x, &settings, certificates);
    *seconds = plumb_clock_seconds() - begin;
    if (on_terminal)
        fputs("\r\033[K", stderr);
    return status;
}

app_certified app_certified_count(const plumb_certificates *certificates)
{
    app_certified counts = {.points = plumb_certificates_count(certificates)};
    for (int64_t k = 0; k < counts.points; k++) {
        plumb_certificate c;
        if (plumb_certificates_get(certificates, k, &c) != PLUMB_OK)
            continue;
        counts.certified += c.code == PLUMB_CERTIFIED;
        counts.squared += c.code == PLUMB_CERTIFY_SQUARED;
        counts.excluded += c.code == PLUMB_CERTIFY_EXCLUDED;
        if (c.code != PLUMB_CERTIFIED && c.code != PLUMB_CERTIFY_SQUARED)
            continue;
        counts.same += c.distinct < 0;
        if (c.distinct > 0) {
            counts.distinct++;
            counts.real += c.real > 0;
            counts.not_real += c.real < 0;
            counts.positive += c.positive > 0;
        }
    }
    return counts;
}

static app_bound bound_of(plumb_context *context, const plumb_system *system, int64_t found)
{
    app_bound bound = {.name = NULL};
    mpz_t bezout;
    mpz_init(bezout);
    if (plumb_system_bezout(system, bezout) && mpz_sizeinbase(bezout, 2) < 63)
        bound = (app_bound){"Bezout number", mpz_get_si(bezout)};
    mpz_clear(bezout);
    if (plumb_system_equations(system) != plumb_system_unknowns(system) || (bound.name && bound.value <= found))
        return bound;
    unknown_groups groups;
    if (plumb_groups_find(system, &groups) == PLUMB_OK) {
        if (groups.paths != INT64_MAX && (!bound.name || groups.paths < bound.value))
            bound = (app_bound){"multi-homogeneous Bezout number", groups.paths};
        plumb_groups_clear(&groups);
    }
    if (bound.name && bound.value <= found)
        return bound;
    plumb_mixed_options options;
    plumb_mixed_report report;
    plumb_mixed_options_init(&options);
    options.max_steps = MOST_STEPS;
    if (plumb_mixed_volume(context, system, &options, &report) == PLUMB_OK &&
        (!bound.name || report.volume < bound.value))
        bound = (app_bound){"stable mixed volume", report.volume};
    return bound;
}

app_bound app_bound_of(plumb_context *context, const plumb_system *system, int64_t found)
{
    plumb_system *left = NULL;
    app_bound bound = {.name = NULL};
    if (plumb_system_independent(system, &left) == PLUMB_OK)
        bound = bound_of(context, left ? left : system, found);
    plumb_system_destroy(left);
    return bound;
}

void app_certified_print(FILE *out, const app_certified *c, const app_bound *bound)
{
    const char *plural = c->distinct == 1 ? "" : "s";
    if (c->squared + c->excluded > 0) {
        fprintf(out,
                "%lld distinct zero%s of the squared-up system; that all given equations vanish there is not proven",
                (long long)c->distinct, plural);
        if (c->excluded > 0)
            fprintf(out, "; %lld point%s proven to be no solution%s", (long long)c->excluded,
                    c->excluded == 1 ? " is" : "s are", c->excluded == 1 ? "" : "s");
        fputc('\n', out);
        return;
    }
    const bool complete = bound->name && c->distinct == bound->value;
    const bool all_known = c->real + c->not_real == c->distinct;
    fprintf(out, "%s%lld certified distinct isolated solution%s (%s%lld real)", complete ? "" : "at least ",
            (long long)c->distinct, plural, all_known ? "" : "at least ", (long long)c->real);
    if (complete)
        fprintf(out, " = %s %lld: complete\n", bound->name, (long long)bound->value);
    else if (bound->name)
        fprintf(out, ", at most %lld (%s)\n", (long long)bound->value, bound->name);
    else
        fprintf(out, "\n");
}

void app_certified_json(json_writer *w, const app_certified *c, const app_bound *bound)
{
    json_int(w, "certified", c->certified);
    json_int(w, "squared_up", c->squared);
    json_int(w, "excluded", c->excluded);
    json_int(w, "certified_distinct", c->distinct);
    json_int(w, "certified_real", c->real);
    json_int(w, "certified_not_real", c->not_real);
    json_int(w, "certified_positive", c->positive);
    json_string(w, "bound_name", bound->name);
    if (bound->name)
        json_int(w, "bound", bound->value);
    else
        json_string(w, "bound", NULL);
    json_bool(w, "complete", bound->name && c->squared + c->excluded == 0 && c->distinct == bound->value);
}

static void append(char words[CLI_CERTIFICATE_WORDS], const char *word)
{
    const size_t used = strlen(words);
    snprintf(words + used, CLI_CERTIFICATE_WORDS - used, "%s%s", used ? ", " : "", word);
}

const char *app_certificate_words(const plumb_certificate *c, char words[CLI_CERTIFICATE_WORDS])
{
    words[0] = '\0';
    append(words, plumb_certify_name(c->code));
    if (c->bits == 0)
        return words;
    append(words, c->positive > 0 ? "positive" : c->real > 0 ? "real" : c->real < 0 ? "not real" : "real or not");
    append(words, c->distinct > 0 ? "distinct" : c->distinct < 0 ? "same as " : "distinct or not");
    if (c->distinct < 0) {
        const size_t used = strlen(words);
        snprintf(words + used, CLI_CERTIFICATE_WORDS - used, "%lld", (long long)c->same_as + 1);
    }
    return words;
}
