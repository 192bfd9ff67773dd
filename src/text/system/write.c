/* write.c - writes a system as text that reads back to the same system.
 *
 * The order of unknowns is that of their first appearance. If the ordered terms would give another order, the first
 * polynomial begins with x - x + y - y + ..., which names all unknowns without changing the polynomial; other readers
 * of the format know this idiom. A quotient is written (x + y)/z^2/(x - 1), and a denominator that was cancelled as 0/z. Rationals whose denominator has no prime factors other than 2 and 5 are written as
 * exact decimals, unless these are very long; all others are written a/b. */
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/reserve.h"
#include "model/system/polynomial.h"
#include "model/system/system.h"
#include "text/number/write.h"

enum {
    LINE_WIDTH = 78,
    MOST_DECIMALS = 200, /* maximum number of digits of an exact decimal; longer ones are written as ratios */
    FEW_ZEROS = 5        /* maximum number of zeros after the point before an exponent is used */
};

/* Writes text with line breaks between terms. */
typedef struct term_writer {
    text_out out;
    const plumb_system *system;
    size_t line_start; /* start of the current line, in bytes written */
    bool wrap, first;  /* no term yet */
    plumb_status status;
} term_writer;

/* A separate piece of text, so that its length is known before it is placed. */
typedef struct piece {
    text_out out;
    bool failed;
} piece;

static void piece_grow(piece *p, size_t more)
{
    if (p->failed || p->out.used + more <= p->out.size)
        return;
    size_t size = 2 * p->out.size + more + 64;
    char *larger = realloc(p->out.buffer, size);
    p->failed = larger == NULL;
    if (p->failed)
        return;
    p->out.buffer = larger;
    p->out.size = size;
}

static void piece_put(piece *p, const char *s)
{
    piece_grow(p, strlen(s));
    plumb_out_string(&p->out, s);
}

static void piece_digits(piece *p, const char *digits, size_t from, size_t count)
{
    piece_grow(p, count);
    for (size_t i = from; i < from + count; i++)
        plumb_out_char(&p->out, digits[i]);
}

static void piece_int(piece *p, const char *before, long long value)
{
    char text[32];
    mpz_t n;
    mpz_init_set_si(n, (long)value);
    mpz_get_str(text, 10, n);
    mpz_clear(n);
    piece_put(p, before);
    piece_put(p, text);
}

/* ---- Coefficients ---------------------------------------------------------------------------------------------- */

/* The digits of a GMP integer; NULL if memory is exhausted. */
static char *digits_of(const mpz_t n)
{
    char *text = malloc(mpz_sizeinbase(n, 10) + 2);
    if (text != NULL)
        mpz_get_str(text, 10, n);
    return text;
}

/* The smallest k for which 10^k x is an integer, or -1 if there is none or it is large. */
static long decimals(const mpz_t denominator, mpz_t scratch, mpz_t prime)
{
    mpz_set_ui(prime, 2);
    long twos = (long)mpz_remove(scratch, denominator, prime);
    mpz_set_ui(prime, 5);
    long fives = (long)mpz_remove(scratch, scratch, prime), k = twos > fives ? twos : fives;
    return mpz_cmp_ui(scratch, 1) == 0 && k <= 4 * MOST_DECIMALS ? k : -1;
}

/* Writes digits * 10^-k for k > 0. */
static void put_decimal(piece *p, const char *digits, size_t k)
{
    size_t count = strlen(digits);
    if (k < count) {
        piece_digits(p, digits, 0, count - k);
        piece_put(p, ".");
        piece_digits(p, digits, count - k, k);
    } else if (k - count < FEW_ZEROS) {
        piece_put(p, "0.");
        for (size_t zeros = k - count; zeros > 0; zeros--)
            piece_put(p, "0");
        piece_digits(p, digits, 0, count);
    } else {
        piece_digits(p, digits, 0, 1);
        if (count > 1)
            piece_put(p, ".");
        piece_digits(p, digits, 1, count - 1);
        piece_int(p, "E-", (long long)(k - count) + 1);
    }
}

static void put_integer(piece *p, const mpz_t n)
{
    char *digits = digits_of(n);
    if (digits != NULL)
        piece_put(p, digits);
    p->failed = p->failed || digits == NULL;
    free(digits);
}

/* |x| */
static void put_modulus(piece *p, mpq_srcptr x)
{
    mpz_t n, d, scratch;
    if (!reserve_limbs(4 * coefficient_limbs(x))) { /* as a decimal it has up to three times the digits */
        p->failed = true;
        return;
    }
    mpz_inits(n, d, scratch, NULL);
    long k = decimals(mpq_denref(x), scratch, d);
    mpz_abs(n, mpq_numref(x));
    if (k > 0) {
        mpz_ui_pow_ui(d, 10, (unsigned long)k);
        mpz_mul(scratch, n, d);
        mpz_divexact(scratch, scratch, mpq_denref(x));
    }
    char *digits = k > 0 ? digits_of(scratch) : NULL;
    p->failed = p->failed || (k > 0 && digits == NULL);
    if (digits != NULL && strlen(digits) <= MOST_DECIMALS) {
        put_decimal(p, digits, (size_t)k);
    } else {
        put_integer(p, n);
        if (k != 0) {
            piece_put(p, "/");
            put_integer(p, mpq_denref(x));
        }
    }
    free(digits);
    mpz_clears(n, d, scratch, NULL);
}

/* ---- Terms ----------------------------------------------------------------------------------------------------- */

/* Writes the term without its sign. */
static void put_term(piece *p, const plumb_system *s, const system_term *t)
{
    bool real = mpq_sgn(t->im) == 0, one = real && mpz_cmpabs(mpq_numref(t->re), mpq_denref(t->re)) == 0;
    if (!real) {
        piece_put(p, mpq_sgn(t->re) < 0 ? "(-" : "(");
        put_modulus(p, t->re);
        piece_put(p, mpq_sgn(t->im) < 0 ? " - " : " + ");
        put_modulus(p, t->im);
        piece_put(p, "*i)");
    } else if (!one || t->count == 0) {
        put_modulus(p, t->re);
    }
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &s->factors[t->first + i];
        if (i > 0 || !one)
            piece_put(p, "*");
        piece_put(p, s->names[f->unknown]);
        if (f->exponent > 1)
            piece_int(p, "^", f->exponent);
    }
}

static void new_line(term_writer *w)
{
    plumb_out_string(&w->out, "\n  ");
    w->line_start = w->out.used - 2;
}

/* Places a term after its sign, on a new line if it does not fit on the current one. */
static void place(term_writer *w, bool minus, const piece *p)
{
    size_t width = w->out.used - w->line_start + p->out.used + 4; /* sign, spaces and ; */
    if (!w->first && w->wrap && width > LINE_WIDTH)
        new_line(w);
    if (w->first)
        plumb_out_string(&w->out, minus ? "- " : "");
    else
        plumb_out_string(&w->out, minus ? " - " : " + ");
    for (size_t i = 0; i < p->out.used; i++)
        plumb_out_char(&w->out, p->out.buffer[i]);
    w->first = false;
}

/* True if no unknown of the equation comes before one with a smaller number; *next is the first that did not appear. */
static bool terms_come_in_order(const plumb_system *s, int64_t equation, int64_t *next)
{
    for (int64_t i = s->equation[equation]; i < s->equation[equation + 1]; i++)
        for (int32_t k = 0; k < s->terms[i].count; k++) {
            const int32_t unknown = s->factors[s->terms[i].first + k].unknown;
            if (unknown >= s->unknowns - s->declared) /* a parameter, which is declared */
                break;
            if (unknown > *next)
                return false;
            *next += unknown == *next;
        }
    return true;
}

static bool has_cancelled(const system_divisors *divisors)
{
    for (int32_t i = 0; i < divisors->count; i++)
        if (divisors->list[i].exponent == 0)
            return true;
    return false;
}

static bool divisors_come_in_order(const plumb_system *s, const system_divisors *divisors, int64_t *next)
{
    for (int32_t i = 0; i < divisors->count; i++)
        if (!terms_come_in_order(s->denominators, divisors->list[i].denominator, next))
            return false;
    return true;
}

/* True if the unknowns first appear in their order. */
static bool names_come_in_order(const plumb_system *s)
{
    static const system_divisors none = {.list = NULL};
    int64_t next = 0;
    for (int64_t i = 0; i < s->equations; i++) {
        const system_divisors *divisors = s->divisors != NULL ? &s->divisors[i] : &none;
        if ((has_cancelled(divisors) && !divisors_come_in_order(s, divisors, &next)) ||
            !terms_come_in_order(s, i, &next) || !divisors_come_in_order(s, divisors, &next))
            return false;
    }
    return next == s->unknowns - s->declared;
}

static void write_names(term_writer *w, const plumb_system *s)
{
    for (int64_t i = 0; i < s->unknowns - s->declared; i++) {
        char *name = s->names[i];
        piece p = {.out = {.buffer = name, .size = strlen(name), .used = strlen(name)}};
        place(w, false, &p);
        place(w, true, &p);
    }
}

static void write_terms(term_writer *w, const plumb_system *s, int64_t equation)
{
    for (int64_t i = s->equation[equation]; i < s->equation[equation + 1]; i++) {
        const system_term *t = &s->terms[i];
        piece p = {.failed = false};
        put_term(&p, s, t);
        if (p.failed)
            w->status = PLUMB_ERR_MEMORY;
        else
            place(w, mpq_sgn(t->im) == 0 && mpq_sgn(t->re) < 0, &p);
        free(p.out.buffer);
    }
    if (w->first)
        plumb_out_char(&w->out, '0');
    w->first = false;
}

/* A sum in parentheses; an unknown needs none. */
static void write_factor(term_writer *w, const plumb_system *s, int64_t equation)
{
    const bool sum = s->equation[equation + 1] - s->equation[equation] != 1;
    w->first = true;
    plumb_out_string(&w->out, sum ? "(" : "");
    write_terms(w, s, equation);
    plumb_out_string(&w->out, sum ? ")" : "");
}

/* All denominators of the equation in their order, if one of them was cancelled: the order in which they are read is that of the system. */
static void write_cancelled(term_writer *w, const system_divisors *divisors)
{
    for (int32_t i = 0; i < divisors->count && has_cancelled(divisors); i++) {
        plumb_out_string(&w->out, w->first ? "0/" : " + 0/");
        write_factor(w, w->system->denominators, divisors->list[i].denominator);
    }
}

/* The terms of an equation over its denominators. */
static void write_quotient(term_writer *w, int64_t equation)
{
    const plumb_system *s = w->system;
    const system_divisors *divisors = &s->divisors[equation];
    bool divided = false;
    for (int32_t i = 0; i < divisors->count; i++)
        divided = divided || divisors->list[i].exponent > 0;
    write_cancelled(w, divisors);
    if (!divided) {
        write_terms(w, s, equation);
        return;
    }
    plumb_out_string(&w->out, w->first ? "(" : " + (");
    w->first = true;
    write_terms(w, s, equation);
    plumb_out_char(&w->out, ')');
    for (int32_t i = 0; i < divisors->count; i++) {
        const system_divisor *d = &divisors->list[i];
        piece p = {.failed = false};
        if (d->exponent == 0)
            continue;
        plumb_out_char(&w->out, '/');
        write_factor(w, s->denominators, d->denominator);
        if (d->exponent > 1)
            piece_int(&p, "^", d->exponent);
        if (p.failed)
            w->status = PLUMB_ERR_MEMORY;
        for (size_t k = 0; k < p.out.used && !p.failed; k++)
            plumb_out_char(&w->out, p.out.buffer[k]);
        free(p.out.buffer);
    }
}

static void write_polynomial(term_writer *w, int64_t equation, bool with_names)
{
    const plumb_system *s = w->system;
    w->line_start = w->out.used;
    w->first = true;
    if (w->wrap)
        plumb_out_char(&w->out, ' ');
    if (with_names)
        write_names(w, s);
    if (s->divisors != NULL)
        write_quotient(w, equation);
    else
        write_terms(w, s, equation);
    plumb_out_string(&w->out, ";\n");
}

static void write_header(term_writer *w)
{
    piece p = {.failed = false};
    piece_int(&p, "", w->system->equations);
    const int64_t unknowns = w->system->unknowns - w->system->declared;
    if (w->system->equations != unknowns)
        piece_int(&p, " ", unknowns);
    piece_put(&p, "\n");
    for (size_t i = 0; i < p.out.used && !p.failed; i++)
        plumb_out_char(&w->out, p.out.buffer[i]);
    if (p.failed)
        w->status = PLUMB_ERR_MEMORY;
    free(p.out.buffer);
}

static void write_parameters(term_writer *w)
{
    const plumb_system *s = w->system;
    for (int64_t i = s->unknowns - s->declared; i < s->unknowns; i++) {
        plumb_out_string(&w->out, i == s->unknowns - s->declared ? "parameters " : ", ");
        plumb_out_string(&w->out, s->names[i]);
    }
    if (s->declared > 0)
        plumb_out_string(&w->out, ";\n");
}

plumb_status plumb_system_write(const plumb_system *system, plumb_format format, char *buffer, size_t size,
                                size_t *needed)
{
    if (format == PLUMB_FORMAT_AUTO)
        format = PLUMB_FORMAT_PHC;
    if (system == NULL || (format != PLUMB_FORMAT_PHC && format != PLUMB_FORMAT_TXT) || (buffer == NULL && size > 0))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s",
                         system == NULL               ? "system is NULL"
                         : buffer == NULL && size > 0 ? "buffer is NULL"
                                                      : "format is none of PLUMB_FORMAT_PHC, PLUMB_FORMAT_TXT");
    plumb_call_begin();
    term_writer w = {.out = {.buffer = buffer, .size = size}, .system = system, .wrap = format == PLUMB_FORMAT_PHC};
    bool with_names = !names_come_in_order(system);
    if (format == PLUMB_FORMAT_PHC)
        write_header(&w);
    write_parameters(&w);
    for (int64_t i = 0; i < system->equations; i++)
        write_polynomial(&w, i, with_names && i == 0);
    plumb_out_char(&w.out, 0);
    if (w.status == PLUMB_OK && w.out.used > size)
        w.status = PLUMB_ERR_BUFFER;
    if (needed != NULL)
        *needed = w.out.used;
    if (w.status != PLUMB_OK && size > 0)
        buffer[0] = 0;
    return plumb_call_end(w.status);
}
