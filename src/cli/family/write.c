/* write.c - how the solutions of targets are shown: as text, lines of JSON, a table or an array; see batch.h. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "app/app.h"
#include "app/numbers.h"
#include "app/report.h"
#include "base/number/modulus.h"
#include "cli/family/batch.h"
#include "text/escape.h"
#include "text/solutions/certificate.h"

int64_t family_shown(const family_batch *batch, const plumb_instance *instance)
{
    return batch->words->positive ? instance->positive : batch->words->real ? instance->real : instance->solutions;
}

/* The limbs of a part of an unknown, in the precision of the solution. */
static void limbs_of(const family_batch *batch, int64_t entry, int64_t unknown, int32_t part, double limbs[PLUMB_QD])
{
    app_entry(&batch->solutions, entry, unknown, 0, part, limbs);
}

/* The absolute error of a solution, which is known relative to its largest unknown. */
static double error_of(const family_batch *batch, int64_t entry)
{
    double size = 0.0, re[PLUMB_QD], im[PLUMB_QD];
    const double error = batch->records[entry].error;
    for (int64_t i = 0; i < batch->solutions.rows; i++) {
        limbs_of(batch, entry, i, 0, re);
        limbs_of(batch, entry, i, 1, im);
        size = fmax(size, plumb_modulus(re[0], im[0]));
    }
    return size > error ? size * error : error;
}

static const char *name_of(const family_batch *batch, int64_t unknown)
{
    return plumb_system_name(plumb_family_system(batch->family), unknown);
}

static void write_text(const family_batch *batch, int64_t number, const plumb_instance *instance, int64_t first)
{
    fprintf(batch->out, "target %lld: %lld solution%s, %lld real", (long long)number, (long long)instance->solutions,
            instance->solutions == 1 ? "" : "s", (long long)instance->real);
    if (batch->words->positive)
        fprintf(batch->out, ", %lld positive", (long long)instance->positive);
    if (batch->words->certify)
        fprintf(batch->out, "; %lld certified, %lld of them real", (long long)batch->proof.counts.distinct,
                (long long)batch->proof.counts.real);
    if (instance->code == PLUMB_INSTANCE_ANEW)
        fprintf(batch->out, "; special, solved anew");
    else if (instance->code != PLUMB_INSTANCE_GENERIC)
        fprintf(batch->out, "; %s: of %lld paths %lld to singular solutions, %lld to infinity, %lld failed",
                plumb_instance_name(instance->code), (long long)plumb_family_paths(batch->family),
                (long long)instance->singular, (long long)instance->infinite, (long long)instance->failed);
    fputc('\n', batch->out);
    for (int64_t k = first; k < first + family_shown(batch, instance) && !batch->words->count; k++) {
        const plumb_solution_record *record = &batch->records[k];
        const double error = error_of(batch, k);
        fputs(" ", batch->out);
        for (int64_t i = 0; i < batch->solutions.rows; i++) {
            char text[2][APP_KNOWN_ROOM];
            double part[2][PLUMB_QD];
            for (int32_t c = 0; c < 2; c++) {
                limbs_of(batch, k, i, c, part[c]);
                app_known_text(record->prec, part[c], error, 0, text[c]);
            }
            const bool minus = text[1][0] == '-';
            fprintf(batch->out, "%s %s = %s", i > 0 ? "," : "", name_of(batch, i), text[0]);
            if (!record->real && strcmp(text[1], "0") != 0)
                fprintf(batch->out, " %c %s*i", minus ? '-' : '+', text[1] + minus);
        }
        if (record->kind != PLUMB_SOLUTION_REGULAR)
            fprintf(batch->out, "  (%s, %lld path%s)", plumb_solution_kind_name(record->kind),
                    (long long)record->multiplicity, record->multiplicity == 1 ? "" : "s");
        fputc('\n', batch->out);
    }
}

static void write_line(const family_batch *batch, int64_t number, const plumb_instance *instance, int64_t first)
{
    json_writer w = json_begin_line(batch->out);
    json_open_object(&w, NULL);
    json_string(&w, "schema", JSON_SCHEMA);
    json_int(&w, "target", number);
    json_string(&w, "outcome", plumb_instance_name(instance->code));
    json_int(&w, "arcs", instance->arcs);
    if (batch->words->neighbours > 1) {
        static const char *const names[] = {"none", "taken", "repaired"};
        json_string(&w, "neighbour", names[instance->neighbour]);
    }
    json_open_object(&w, "paths");
    json_int(&w, "total", plumb_family_paths(batch->family));
    json_int(&w, "regular", instance->regular);
    json_int(&w, "singular", instance->singular);
    json_int(&w, "infinite", instance->infinite);
    json_int(&w, "failed", instance->failed);
    json_close_object(&w);
    json_int(&w, "count", instance->solutions);
    json_int(&w, "real_count", instance->real);
    json_int(&w, "positive_count", instance->positive);
    json_double(&w, "error", instance->error);
    if (batch->words->certify) {
        json_int(&w, "certified_distinct", batch->proof.counts.distinct);
        json_int(&w, "certified_real", batch->proof.counts.real);
        json_int(&w, "certified_positive", batch->proof.counts.positive);
    }
    if (!batch->words->count)
        json_open_array(&w, "solutions");
    for (int64_t k = first; k < first + family_shown(batch, instance) && !batch->words->count; k++) {
        const plumb_solution_record *record = &batch->records[k];
        json_open_object(&w, NULL);
        json_open_array(&w, "x");
        for (int64_t i = 0; i < batch->solutions.rows; i++) {
            double re[PLUMB_QD], im[PLUMB_QD];
            limbs_of(batch, k, i, 0, re);
            limbs_of(batch, k, i, 1, im);
            (void)app_report_number(&w, NULL, record->prec, re, im);
        }
        json_close_array(&w);
        json_string(&w, "kind", plumb_solution_kind_name(record->kind));
        json_int(&w, "multiplicity", record->multiplicity);
        json_bool(&w, "real", record->real);
        json_double(&w, "err", record->error);
        json_double(&w, "condition", record->rcond > 0.0 ? 1.0 / record->rcond : INFINITY);
        json_string(&w, "precision", plumb_prec_name(record->prec));
        if (batch->words->certify)
            plumb_certificate_json(&w, "certificate", batch->proof.certificates, k - first);
        json_close_object(&w);
    }
    if (!batch->words->count)
        json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
}

static void write_names(const family_batch *batch, FILE *out)
{
    if (batch->words->count) {
        fputs("target,outcome,solutions,real,positive,regular,singular,infinite,failed\n", out);
        return;
    }
    fputs("target,outcome,kind,multiplicity,real,error", out);
    for (int64_t i = 0; i < batch->solutions.rows; i++)
        for (int part = 0; part < 2; part++) {
            fputc(',', out);
            escape_csv(out, name_of(batch, i));
            fputs(part == 0 ? ".re" : ".im", out);
        }
    fputc('\n', out);
}

static void write_rows(const family_batch *batch, int64_t number, const plumb_instance *instance, int64_t first)
{
    if (batch->words->count) {
        fprintf(batch->out, "%lld,%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", (long long)number,
                plumb_instance_name(instance->code), (long long)instance->solutions, (long long)instance->real,
                (long long)instance->positive, (long long)instance->regular, (long long)instance->singular,
                (long long)instance->infinite, (long long)instance->failed);
        return;
    }
    for (int64_t k = first; k < first + family_shown(batch, instance); k++) {
        const plumb_solution_record *record = &batch->records[k];
        char text[CLI_NUMBER_ROOM];
        (void)app_limbs_text(PLUMB_D, &record->error, NULL, text);
        fprintf(batch->out, "%lld,%s,%s,%lld,%d,%s", (long long)number, plumb_instance_name(instance->code),
                plumb_solution_kind_name(record->kind), (long long)record->multiplicity, record->real ? 1 : 0, text);
        for (int64_t i = 0; i < batch->solutions.rows; i++)
            for (int32_t part = 0; part < 2; part++) {
                double limbs[PLUMB_QD];
                limbs_of(batch, k, i, part, limbs);
                (void)app_limbs_text(record->prec, limbs, NULL, text);
                fprintf(batch->out, ",%s", text);
            }
        fputc('\n', batch->out);
    }
}

/* The header of an npy file of complex doubles: targets x paths x unknowns. */
void family_write_array_header(const family_batch *batch, FILE *out, int64_t targets)
{
    const uint16_t one = 1;
    char text[FAMILY_ARRAY_HEADER + 1];
    const int count =
        snprintf(text, sizeof text, "{'descr': '%cc16', 'fortran_order': False, 'shape': (%lld, %lld, %lld), }",
                 *(const unsigned char *)&one == 1 ? '<' : '>', (long long)targets,
                 (long long)plumb_family_paths(batch->family), (long long)batch->solutions.rows);
    fwrite("\x93NUMPY\1\0\x76\0", 1, 10, out); /* 118 bytes follow */
    fprintf(out, "%s%*s\n", text, FAMILY_ARRAY_HEADER - 11 - count, "");
}

/* One entry per path; those without a solution are not a number. */
static void write_array(const family_batch *batch, const plumb_instance *instance, int64_t first)
{
    for (int64_t k = 0; k < plumb_family_paths(batch->family); k++)
        for (int64_t i = 0; i < batch->solutions.rows; i++)
            for (int32_t part = 0; part < 2; part++) {
                double limbs[PLUMB_QD] = {(double)NAN};
                if (k < family_shown(batch, instance))
                    limbs_of(batch, first + k, i, part, limbs);
                fwrite(limbs, sizeof *limbs, 1, batch->out);
            }
}

void family_write_head(const family_batch *batch, FILE *out)
{
    if (batch->form == FORM_TABLE)
        write_names(batch, out);
    else if (batch->form == FORM_ARRAY)
        family_write_array_header(batch, out, 0);
}

void family_write(const family_batch *batch, int64_t number, const plumb_instance *instance, int64_t first)
{
    const family_words *words = batch->words;
    if (batch->form == FORM_TEXT && (!words->real || family_shown(batch, instance) > 0 || !words->count))
        write_text(batch, number, instance, first);
    else if (batch->form == FORM_LINES)
        write_line(batch, number, instance, first);
    else if (batch->form == FORM_TABLE)
        write_rows(batch, number, instance, first);
    else if (batch->form == FORM_ARRAY)
        write_array(batch, instance, first);
}
