/* certified.c - see certified.h. */
#include "app/certified.h"

#include <string.h>
#include <unistd.h>

#include "app/stop.h"
#include "base/os/clock.h"
#include "solver/certify/bound.h"
#include "text/solutions/certificate.h"

app_bound app_bound_of(plumb_context *context, const plumb_system *system, int64_t found)
{
    const certify_bound b = certify_bound_of(context, system, found);
    return (app_bound){b.name, b.value};
}

static int show_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)failed;
    if (*(const bool *)data)
        fprintf(stderr, "\r\033[K%lld of %lld points certified", (long long)done, (long long)total);
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

plumb_status app_certify_components(plumb_context *context, plumb_components *components, uint64_t seed, bool shown,
                                    double *seconds)
{
    plumb_certify_options settings;
    bool on_terminal = shown && isatty(STDERR_FILENO);
    plumb_certify_options_init(&settings);
    settings.seed = seed;
    settings.progress = show_progress;
    settings.data = &on_terminal;
    const double begin = plumb_clock_seconds();
    const plumb_status status = plumb_components_certify(context, components, &settings);
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
