/* write.c - writes solutions in PHCpack's format and as JSON, with all digits of every number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/digits.h"
#include "text/json/json.h"
#include "text/number/quick.h"
#include "text/solutions/certificate.h"
#include "text/solutions/text.h"

static const char RULE[] = "===========================================================================\n";

plumb_status plumb_solutions_decimal(int32_t prec, const double *limbs, char **text)
{
    char usual
        [400]; /* long enough for almost all numbers, so that the digits are not computed twice to find their length */
    size_t needed = 0;
    *text = NULL;
    plumb_status status = plumb_number_write(prec, limbs, 0, usual, sizeof usual, &needed);
    if (status != PLUMB_OK && status != PLUMB_ERR_BUFFER)
        return status;
    *text = malloc(needed);
    if (*text == NULL)
        return PLUMB_ERR_MEMORY;
    if (status == PLUMB_ERR_BUFFER)
        return plumb_number_write(prec, limbs, 0, *text, needed, NULL);
    memcpy(*text, usual, needed);
    return PLUMB_OK;
}

plumb_status plumb_solutions_number(const plumb_solutions *s, int64_t k, int64_t unknown, int part, char **text)
{
    const char *number = s->digits ? digits_number(s->digits, k, unknown)[part] : NULL;
    if (!number)
        return plumb_solutions_decimal(s->prec, solution_value(s, k, unknown) + part * s->prec, text);
    *text = strdup(number);
    return *text ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

enum { SCIENTIFIC = 32 }; /* characters of a double: 17 digits, a sign, a point and an exponent */

/* Lays digits out as d.dddE+dd, with a space in place of a plus sign, as other readers of the format expect. Returns the length, for
 * which there is room: SCIENTIFIC for 17 digits and an exponent of two. */
static size_t lay_out(bool negative, const char *digits, size_t count, long exponent, char *text)
{
    size_t n = 0;
    const unsigned long size = (unsigned long)labs(exponent);
    text[n++] = negative ? '-' : ' ';
    text[n++] = digits[0];
    text[n++] = '.';
    if (count == 1)
        text[n++] = '0';
    memcpy(text + n, digits + 1, count - 1);
    n += count - 1;
    text[n++] = 'E';
    text[n++] = exponent < 0 ? '-' : '+';
    for (unsigned long scale = 100000; scale >= 100; scale /= 10)
        if (size >= scale)
            text[n++] = (char)('0' + size / scale % 10);
    text[n++] = (char)('0' + size / 10 % 10);
    text[n++] = (char)('0' + size % 10);
    return n;
}

/* Writes a decimal number in this form. The text is overwritten. */
static plumb_status put_decimal(FILE *out, char *text)
{
    char *mantissa = text + (text[0] == '-'), *digits = mantissa;
    char *letter = strchr(mantissa, 'e');
    long exponent = letter != NULL ? strtol(letter + 1, NULL, 10) : 0;
    size_t end = letter != NULL ? (size_t)(letter - mantissa) : strlen(mantissa), count = 0, point = end;
    for (size_t i = 0; i < end; i++) /* keeps the digits only, in place */
        if (mantissa[i] == '.')
            point = i;
        else
            mantissa[count++] = mantissa[i];
    size_t zeros = 0;
    while (zeros + 1 < count && digits[zeros] == '0')
        zeros++;
    exponent += (long)point - (long)zeros - 1;
    if (digits[zeros] == '0')
        exponent = 0;
    count -= zeros;
    while (count > 1 && digits[zeros + count - 1] == '0')
        count--;
    char *made = malloc(count + SCIENTIFIC);
    if (made != NULL)
        fwrite(made, 1, lay_out(text[0] == '-', digits + zeros, count, exponent, made), out);
    free(made);
    return made != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* The same for a double, where that is quick; 0 otherwise. */
static size_t lay_out_quickly(double x, char text[SCIENTIFIC])
{
    char digits[QUICK_DIGITS] = "0";
    long count = 1, point = 1;
    if (x != 0 && !plumb_quick_shortest(fabs(x), digits, &count, &point))
        return 0;
    return lay_out(signbit(x) != 0, digits, (size_t)count, point - 1, text);
}

static plumb_status put_scientific(FILE *out, int32_t prec, const double *limbs)
{
    char quick[SCIENTIFIC], *text;
    const size_t length = prec == PLUMB_D ? lay_out_quickly(limbs[0], quick) : 0;
    if (length > 0) {
        fwrite(quick, 1, length, out);
        return PLUMB_OK;
    }
    plumb_status status = plumb_solutions_decimal(prec, limbs, &text);
    if (status != PLUMB_OK || text == NULL) {
        free(text);
        return status;
    }
    if (!isfinite(limbs[0])) {
        fprintf(out, "%s%s", text[0] == '-' ? "" : " ", text);
        free(text);
        return PLUMB_OK;
    }
    status = put_decimal(out, text);
    free(text);
    return status;
}

static plumb_status put_complex(FILE *out, int32_t prec, const double *limbs)
{
    plumb_status status = put_scientific(out, prec, limbs);
    fputs("  ", out);
    if (status == PLUMB_OK)
        status = put_scientific(out, prec, limbs + prec);
    fputc('\n', out);
    return status;
}

/* An unknown of a solution. */
static plumb_status put_unknown(FILE *out, const plumb_solutions *s, int64_t k, int64_t unknown)
{
    plumb_status status = PLUMB_OK;
    if (!s->digits)
        return put_complex(out, s->prec, solution_value(s, k, unknown));
    for (int part = 0; part < 2 && status == PLUMB_OK; part++) {
        char *text = NULL;
        status = plumb_solutions_number(s, k, unknown, part, &text);
        if (status == PLUMB_OK && strpbrk(text, "inf") == NULL)
            status = put_decimal(out, text);
        else if (status == PLUMB_OK)
            fprintf(out, "%s%s", text[0] == '-' ? "" : " ", text);
        fputs(part == 0 ? "  " : "\n", out);
        free(text);
    }
    return status;
}

static plumb_status finish(FILE *out, plumb_status status)
{
    if ((fflush(out) != 0 || ferror(out)) && status == PLUMB_OK)
        return PLUMB_ERR_IO;
    return status;
}

plumb_status plumb_solutions_phc_one(FILE *out, const plumb_solutions *s, int64_t k, int64_t n, const char *remark)
{
    const solution_record *record = &s->record[k];
    fprintf(out, "solution %lld :%s%s\nt : ", (long long)n, remark != NULL ? "  " : "", remark != NULL ? remark : "");
    plumb_status status = put_complex(out, s->prec, s->t + k * 2 * s->prec);
    fprintf(out, "m : %lld\nthe solution for t :\n", (long long)record->multiplicity);
    for (int64_t i = 0; i < s->unknowns && status == PLUMB_OK; i++) {
        fputc(' ', out);
        fputs(s->names[i], out);
        fputs(" : ", out);
        status = put_unknown(out, s, k, i);
    }
    const double value[] = {record->err, record->rco, record->res};
    static const char *const label[] = {"== err : ", " = rco : ", " = res : "};
    for (int i = 0; i < 3 && status == PLUMB_OK; i++) {
        fputs(label[i], out);
        status = put_scientific(out, PLUMB_D, &value[i]);
    }
    fputs(" ==\n", out);
    return status;
}

void plumb_solutions_phc_begin(FILE *out, int64_t count, int64_t unknowns)
{
    fprintf(out, "THE SOLUTIONS :\n%lld %lld\n%s", (long long)count, (long long)unknowns, RULE);
}

plumb_status plumb_solutions_phc_end(FILE *out)
{
    fputs(RULE, out);
    return finish(out, PLUMB_OK);
}

plumb_status plumb_solutions_write_phc(FILE *out, const plumb_solutions *solutions)
{
    plumb_status status = PLUMB_OK;
    plumb_solutions_phc_begin(out, solutions->count, solutions->unknowns);
    for (int64_t k = 0; k < solutions->count && status == PLUMB_OK && !ferror(out); k++)
        status = plumb_solutions_phc_one(out, solutions, k, k + 1, NULL);
    plumb_status end = plumb_solutions_phc_end(out);
    return status != PLUMB_OK ? status : end;
}

static plumb_status json_complex(json_writer *w, const char *key, int32_t prec, const double *limbs)
{
    plumb_status status = PLUMB_OK;
    json_open_array(w, key);
    for (int part = 0; part < 2 && status == PLUMB_OK; part++) {
        char *text;
        status = plumb_solutions_decimal(prec, limbs + part * prec, &text);
        json_string(w, NULL, text);
        free(text);
    }
    json_close_array(w);
    return status;
}

static plumb_status json_unknown(json_writer *w, const plumb_solutions *s, int64_t k, int64_t unknown)
{
    plumb_status status = PLUMB_OK;
    json_open_array(w, NULL);
    for (int part = 0; part < 2 && status == PLUMB_OK; part++) {
        char *text = NULL;
        status = plumb_solutions_number(s, k, unknown, part, &text);
        json_string(w, NULL, text);
        free(text);
    }
    json_close_array(w);
    return status;
}

void plumb_solutions_json_begin(json_writer *w, FILE *out, int64_t unknowns, const char *const *names)
{
    *w = json_begin(out);
    json_open_object(w, NULL);
    json_string(w, "schema", JSON_SCHEMA);
    json_open_array(w, "unknowns");
    for (int64_t i = 0; i < unknowns; i++)
        json_string(w, NULL, names[i]);
    json_close_array(w);
    json_open_array(w, "solutions");
}

plumb_status plumb_solutions_json_one(json_writer *w, const plumb_solutions *s, int64_t k, int64_t n,
                                      const plumb_certificates *certificates, int64_t point)
{
    const solution_record *record = &s->record[k];
    json_open_object(w, NULL);
    json_int(w, "number", n);
    json_string(w, "precision", plumb_prec_name(s->prec));
    plumb_status status = json_complex(w, "t", s->prec, s->t + k * 2 * s->prec);
    json_int(w, "multiplicity", record->multiplicity);
    json_open_array(w, "x");
    for (int64_t i = 0; i < s->unknowns && status == PLUMB_OK; i++)
        status = json_unknown(w, s, k, i);
    json_close_array(w);
    if (s->digits) {
        json_int(w, "digits", s->digits->report[k].known);
        json_string(w, "refined", plumb_digits_name(s->digits->report[k].code));
    }
    json_double(w, "error", record->err);
    json_double(w, "rcond", record->rco);
    json_double(w, "residual", record->res);
    if (record->kind != PLUMB_SOLUTION_UNKNOWN) {
        json_string(w, "kind", plumb_solution_kind_name(record->kind));
        json_bool(w, "real", record->real);
    }
    if (certificates)
        plumb_certificate_json(w, "certificate", certificates, point);
    json_close_object(w);
    return status;
}

plumb_status plumb_solutions_json_end(json_writer *w, const plumb_certificates *certificates)
{
    FILE *out = w->out;
    json_close_array(w);
    if (certificates)
        plumb_certificate_square_json(w, "square_up", certificates);
    json_close_object(w);
    json_end(w);
    return finish(out, PLUMB_OK);
}

plumb_status plumb_solutions_write_json(FILE *out, const plumb_solutions *s)
{
    json_writer w;
    plumb_status status = PLUMB_OK;
    plumb_solutions_json_begin(&w, out, s->unknowns, (const char *const *)s->names);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK && !ferror(out); k++)
        status = plumb_solutions_json_one(&w, s, k, k + 1, NULL, 0);
    plumb_status end = plumb_solutions_json_end(&w, NULL);
    return status != PLUMB_OK ? status : end;
}
