/* expression.c - reads one polynomial, or quotient of polynomials, and expands it.
 *
 *   equation = sum ["=" sum]
 *   sum      = {sign} product {sign {sign} product}
 *   product  = power {["*" | "/"] power}
 *   power    = atom [("^" | "**") exponent]
 *   exponent = digits | "-" digits | "(" ["-"] digits ")"
 *   atom     = number | "i" | "I" | name | "(" sum ")"
 *
 * The "*" may be missing between a number, an exponent or a ")" and a name or "(" that follows it directly: 2x,
 * 2(x+1), x^2y, (x+1)(y-1). It may not be missing after a name, because x(y) looks like a function and xy is a name;
 * nor after a divisor, because 1/2x can mean two things; nor where there is a space, which would hide a missing
 * operator or ';'.
 *
 * A product is kept as a monomial with its coefficient as long as possible, which is nearly always; only sums in
 * parentheses make it a polynomial times a monomial. What it is divided by is kept apart (quotient.h). Where there may be no quotients, as
 * in files of other programs, only numbers divide, and exponents are digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number/number.h"
#include "text/system/reader.h"

static bool at_comment(const text_cursor *c)
{
    int byte = text_peek(c, 0);
    return byte == '#' || byte == '%' || (byte == '/' && text_peek(c, 1) == '/');
}

static void skip(text_cursor *c, bool lines_too)
{
    for (;;) {
        int byte = text_peek(c, 0);
        if (at_comment(c)) {
            const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
            c->at = stop != NULL ? stop : c->end;
        } else if (text_is_space(byte) && (lines_too || byte != '\n')) {
            c->at++;
        } else {
            return;
        }
    }
}

void plumb_system_skip(system_reader *r)
{
    skip(&r->cursor, true);
}

void plumb_system_skip_after(system_reader *r)
{
    skip(&r->cursor, !r->by_lines || r->depth > 0);
}

size_t plumb_system_word(const text_cursor *c)
{
    size_t length = 0;
    if (!text_is_digit(text_peek(c, 0)))
        while (text_is_name(text_peek(c, length)))
            length++;
    return length;
}

size_t plumb_system_indexed_word(const text_cursor *c)
{
    size_t length = plumb_system_word(c);
    while (length > 0 && text_peek(c, length) == '[') {
        size_t end = length + 1;
        while (text_is_digit(text_peek(c, end)))
            end++;
        if (end == length + 1 || text_peek(c, end) != ']')
            return length;
        length = end + 1;
    }
    return length;
}

/* ---- Products -------------------------------------------------------------------------------------------------- */

/* (re + im i) * monomial * rest / under, where rest is 1 unless has_rest. */
typedef struct product {
    mpq_t re, im;
    system_factor *factors;
    int32_t count, room;
    int64_t degree;
    polynomial rest;
    bool has_rest;
    system_divisors under;
} product;

static void product_init(product *m)
{
    *m = (product){.factors = NULL};
    mpq_inits(m->re, m->im, NULL);
    mpq_set_ui(m->re, 1, 1);
}

static void product_clear(product *m)
{
    mpq_clears(m->re, m->im, NULL);
    free(m->factors);
    free(m->under.list);
    plumb_poly_clear(&m->rest);
}

/* Makes the error that says why an operation on polynomials was refused. */
static plumb_status refused(const system_reader *r, const char *where, plumb_status status)
{
    if (status == PLUMB_ERR_RANGE)
        return plumb_text_error_at(&r->cursor, where, status, r->error,
                                   "found an exponent of more than %d once multiplied out, expected a smaller one",
                                   POLY_MOST_EXPONENT);
    if (status == PLUMB_ERR_SIZE)
        return plumb_text_error_at(&r->cursor, where, status, r->error,
                                   "found a product or power %s, expected a smaller one", r->work.limit);
    if (status == PLUMB_ERR_MEMORY)
        return plumb_text_error_at(&r->cursor, where, status, r->error, "out of memory");
    return status;
}

/* Multiplies the monomial by unknown^exponent; the factors stay sorted. */
static plumb_status multiply_unknown(system_reader *r, product *m, int32_t unknown, int64_t exponent)
{
    if (exponent == 0)
        return PLUMB_OK;
    int32_t low = 0, high = m->count;
    if (high > 0 && m->factors[high - 1].unknown < unknown)
        low = high; /* unknowns usually come in order */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->factors[middle].unknown < unknown)
            low = middle + 1;
        else
            high = middle;
    }
    m->degree += exponent;
    if (m->degree > INT32_MAX)
        return PLUMB_ERR_RANGE;
    if (low < m->count && m->factors[low].unknown == unknown) {
        exponent += m->factors[low].exponent;
        if (exponent > POLY_MOST_EXPONENT)
            return PLUMB_ERR_RANGE;
        m->factors[low].exponent = (int32_t)exponent;
        return PLUMB_OK;
    }
    if (exponent > POLY_MOST_EXPONENT)
        return PLUMB_ERR_RANGE;
    if (m->count == m->room) {
        if (m->room > INT32_MAX / 2 - 8)
            return PLUMB_ERR_MEMORY;
        int32_t room = 2 * m->room + 8;
        system_factor *larger = realloc(m->factors, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return PLUMB_ERR_MEMORY;
        m->factors = larger;
        m->room = room;
    }
    int32_t moved = m->count - low;
    memmove(m->factors + low + 1, m->factors + low, (size_t)moved * sizeof *m->factors);
    m->factors[low] = (system_factor){.unknown = unknown, .exponent = (int32_t)exponent};
    m->count++;
    return plumb_work_spend(&r->work, moved / 64);
}

/* Multiplies by a normal polynomial, whose contents are consumed. */
static plumb_status multiply_polynomial(system_reader *r, product *m, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    if (p->count == 0) {
        mpq_set_ui(m->re, 0, 1);
        mpq_set_ui(m->im, 0, 1);
    } else if (p->count == 1) {
        const system_term *t = &p->terms[0];
        status = plumb_coefficient_multiply(m->re, m->im, t->re, t->im, &r->work);
        for (int32_t i = 0; i < t->count && status == PLUMB_OK; i++)
            status = multiply_unknown(r, m, p->factors[t->first + i].unknown, p->factors[t->first + i].exponent);
    } else if (!m->has_rest) {
        m->rest = *p;
        m->has_rest = true;
        *p = (polynomial){.terms = NULL};
    } else {
        polynomial both = {.terms = NULL};
        status = plumb_poly_add_product(&both, &m->rest, p, &r->work);
        plumb_poly_clear(&m->rest);
        m->rest = both;
    }
    plumb_poly_clear(p);
    return status;
}

/* p += m without its divisors; m is consumed. */
static plumb_status add_product(system_reader *r, polynomial *p, product *m)
{
    if (!m->has_rest)
        return plumb_poly_append(p, m->re, m->im, m->factors, m->count, (int32_t)m->degree);
    polynomial monomial = {.terms = NULL}, expanded = {.terms = NULL};
    plumb_status status = plumb_poly_append(&monomial, m->re, m->im, m->factors, m->count, (int32_t)m->degree);
    if (status == PLUMB_OK)
        status = plumb_poly_add_product(&expanded, &monomial, &m->rest, &r->work);
    for (int64_t i = 0; i < expanded.count && status == PLUMB_OK; i++) {
        const system_term *t = &expanded.terms[i];
        status = plumb_poly_append(p, t->re, t->im, expanded.factors + t->first, t->count, t->degree);
    }
    plumb_poly_clear(&monomial);
    plumb_poly_clear(&expanded);
    return status;
}

/* q += m; m is consumed. */
static plumb_status add_quotient(system_reader *r, quotient *q, product *m)
{
    if (m->under.count == 0 && q->under.count == 0)
        return add_product(r, &q->top, m);
    quotient more = {.under = m->under};
    m->under = (system_divisors){.list = NULL};
    plumb_status status = add_product(r, &more.top, m);
    if (status == PLUMB_OK)
        return plumb_quotient_add(r->quotients, q, &more, &r->work);
    plumb_quotient_clear(&more);
    return status;
}

/* ---- Quotients ---------------------------------------------------------------------------------------------------- */

/* m /= unknown^exponent */
static plumb_status divide_unknown(system_reader *r, product *m, int32_t unknown, int64_t exponent)
{
    polynomial p = {.terms = NULL};
    int32_t number = 0;
    mpq_t one, zero;
    const system_factor factor = {.unknown = unknown, .exponent = 1};
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_status status = plumb_poly_append(&p, one, zero, &factor, 1, 1);
    mpq_clears(one, zero, NULL);
    if (status == PLUMB_OK)
        status = plumb_quotient_find(r->quotients, &p, &r->work, &number);
    plumb_poly_clear(&p);
    return status == PLUMB_OK ? plumb_quotient_divide(&m->under, number, exponent) : status;
}

/* Divides p, and m by the power of it, by the coefficient of the first term of p. */
static plumb_status divide_by_leading(system_reader *r, product *m, polynomial *p, int64_t exponent)
{
    polynomial constant = {.terms = NULL};
    const system_term *first = &p->terms[0];
    plumb_status status = plumb_poly_append(&constant, first->re, first->im, NULL, 0, 0);
    for (int64_t i = p->count - 1; i >= 0 && status == PLUMB_OK; i--)
        status = plumb_coefficient_divide(p->terms[i].re, p->terms[i].im, constant.terms[0].re, constant.terms[0].im,
                                          &r->work);
    if (status == PLUMB_OK)
        status = plumb_poly_power(&constant, exponent, &r->work);
    if (status == PLUMB_OK)
        status = plumb_coefficient_divide(m->re, m->im, constant.terms[0].re, constant.terms[0].im, &r->work);
    plumb_poly_clear(&constant);
    return status;
}

/* m /= p^exponent for a normal p that is not zero; p is consumed. */
static plumb_status divide_polynomial(system_reader *r, product *m, polynomial *p, int64_t exponent)
{
    int32_t number = 0;
    plumb_status status = divide_by_leading(r, m, p, exponent);
    const system_term *t = &p->terms[0];
    if (p->count > 1) {
        if (status == PLUMB_OK)
            status = plumb_quotient_find(r->quotients, p, &r->work, &number);
        return status == PLUMB_OK ? plumb_quotient_divide(&m->under, number, exponent) : status;
    }
    for (int32_t i = 0; i < t->count && status == PLUMB_OK; i++) {
        const system_factor *f = &p->factors[t->first + i];
        status = divide_unknown(r, m, f->unknown, exponent * f->exponent);
    }
    return status;
}

/* m *= q^exponent, where the exponent may be negative if q is not zero; q is consumed. */
static plumb_status multiply_quotient(system_reader *r, product *m, quotient *q, int64_t exponent)
{
    const int64_t times = exponent < 0 ? -exponent : exponent;
    plumb_status status = PLUMB_OK;
    if (exponent < 0)
        status = divide_polynomial(r, m, &q->top, times);
    else
        status = plumb_poly_power(&q->top, exponent, &r->work);
    if (exponent >= 0 && status == PLUMB_OK)
        status = multiply_polynomial(r, m, &q->top);
    for (int32_t i = 0; i < q->under.count && status == PLUMB_OK; i++) {
        const system_divisor d = q->under.list[i];
        polynomial power = {.terms = NULL};
        if (times * d.exponent > POLY_MOST_EXPONENT)
            return PLUMB_ERR_RANGE;
        status = plumb_quotient_divide(&m->under, d.denominator, exponent < 0 ? 0 : exponent * d.exponent);
        if (status == PLUMB_OK && exponent < 0)
            status = plumb_quotient_power(r->quotients, d.denominator, times * d.exponent, &r->work, &power);
        if (status == PLUMB_OK && exponent < 0)
            status = multiply_polynomial(r, m, &power);
        plumb_poly_clear(&power);
    }
    return status;
}

/* Notes that p must not vanish. */
static plumb_status note_divisor(system_reader *r, product *m, const polynomial *p)
{
    polynomial copy = {.terms = NULL};
    plumb_status status = plumb_work_spend(&r->work, p->count);
    for (int64_t i = 0; i < p->count && status == PLUMB_OK; i++) {
        const system_term *t = &p->terms[i];
        status = plumb_poly_append(&copy, t->re, t->im, p->factors + t->first, t->count, t->degree);
    }
    if (status == PLUMB_OK)
        status = divide_polynomial(r, m, &copy, 0);
    plumb_poly_clear(&copy);
    return status;
}

/* m *= q^exponent, or m /= q^exponent, for what was read from start on. In m / q^-2, which is m q^2, q must not vanish, too. */
static plumb_status multiply_power(system_reader *r, const char *start, product *m, quotient *q, int64_t exponent,
                                   bool divides)
{
    const bool inverted = exponent < 0;
    exponent = divides ? -exponent : exponent;
    if ((exponent < 0 || inverted) && q->top.count == 0)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                   "found a division by zero, expected another divisor");
    if (exponent < 0 && r->quotients == NULL && (q->top.count > 1 || q->top.terms[0].count > 0))
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                   "found a division by a polynomial, expected one by a number");
    plumb_status status = divides && inverted ? note_divisor(r, m, &q->top) : PLUMB_OK;
    if (status == PLUMB_OK)
        status = multiply_quotient(r, m, q, exponent);
    return refused(r, start, status);
}

/* ---- Atoms and powers ------------------------------------------------------------------------------------------ */

static const char *expected_exponent(const system_reader *r)
{
    return r->quotients != NULL ? "an exponent, a whole number from -10000 to 10000"
                                : "an exponent, a whole number from 0 to 10000";
}

/* Reads "(" and "-" before the digits of an exponent, where they may be. */
static void open_exponent(system_reader *r, bool *parenthesis, bool *minus)
{
    text_cursor *c = &r->cursor;
    *parenthesis = r->quotients != NULL && text_peek(c, 0) == '(';
    if (*parenthesis) {
        c->at++;
        plumb_system_skip(r);
    }
    *minus = r->quotients != NULL && text_peek(c, 0) == '-';
    c->at += *minus;
}

static plumb_status close_exponent(system_reader *r)
{
    plumb_system_skip(r);
    if (text_peek(&r->cursor, 0) != ')')
        return plumb_text_expected(&r->cursor, "')' after the exponent", r->error);
    r->cursor.at++;
    return PLUMB_OK;
}

/* Reads [("^" | "**") exponent] after an atom; the exponent is 1 if there is none. */
static plumb_status read_exponent(system_reader *r, int64_t *exponent)
{
    bool parenthesis, minus;
    text_cursor *c = &r->cursor;
    *exponent = 1;
    plumb_system_skip_after(r);
    bool caret = text_peek(c, 0) == '^', stars = text_peek(c, 0) == '*' && text_peek(c, 1) == '*';
    if (!caret && !stars)
        return PLUMB_OK;
    c->at += caret ? 1 : 2;
    plumb_system_skip(r);
    open_exponent(r, &parenthesis, &minus);
    if (!text_is_digit(text_peek(c, 0)))
        return plumb_text_expected(c, expected_exponent(r), r->error);
    const char *start = c->at;
    for (*exponent = 0; text_is_digit(text_peek(c, 0)); c->at++)
        if (*exponent <= POLY_MOST_EXPONENT)
            *exponent = 10 * *exponent + (*c->at - '0');
    char word[TEXT_SHORT];
    if (*exponent > POLY_MOST_EXPONENT)
        return plumb_text_error_at(c, start, PLUMB_ERR_RANGE, r->error, "found the exponent %s, expected at most %d",
                                   plumb_text_shorten(start, c->at, word), POLY_MOST_EXPONENT);
    *exponent = minus ? -*exponent : *exponent;
    plumb_status status = parenthesis ? close_exponent(r) : PLUMB_OK;
    if (status != PLUMB_OK)
        return status;
    const char *end = c->at;
    plumb_system_skip_after(r);
    if (text_peek(c, 0) == '^' || (text_peek(c, 0) == '*' && text_peek(c, 1) == '*'))
        return plumb_text_expected(c, "no second exponent: parentheses say which one comes first", r->error);
    c->at = end;
    return PLUMB_OK;
}

/* Sets p to a constant. */
static plumb_status set_constant(polynomial *p, mpq_srcptr re, mpq_srcptr im)
{
    plumb_status status = plumb_poly_append(p, re, im, NULL, 0, 0);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* Scans a number. Its e is that of a name, as in 2eta, if a letter follows it. */
static plumb_status scan_number(system_reader *r, number_token *token)
{
    text_cursor c = r->cursor;
    while (text_is_digit(text_peek(&c, 0)) || text_peek(&c, 0) == '.')
        c.at++;
    const bool letter = (text_peek(&c, 0) | 0x20) == 'e' && text_is_name(text_peek(&c, 1));
    const char *ending = c.at;
    c = r->cursor;
    if (letter && !text_is_digit((unsigned char)ending[1]))
        c.end = ending;
    plumb_status status = plumb_number_scan(&c, 0, token, r->error);
    if (status != PLUMB_OK)
        return status;
    r->cursor.at = c.at;
    if (letter && c.at > ending && text_is_name(text_peek(&r->cursor, 0)))
        return plumb_text_expected(&r->cursor, "'*': 2e3x can mean 2000*x or 2*e3x", r->error);
    enum { SOME = 64 };
    const size_t length = (size_t)(c.at - ending);
    if (letter && c.at > ending && length < TEXT_SHORT && r->decimal_endings.count < SOME &&
        plumb_names_find(&r->decimal_endings, ending, length) < 0)
        status = plumb_names_add(&r->decimal_endings, ending, length);
    return status == PLUMB_OK ? status : refused(r, ending, status);
}

static plumb_status read_number(system_reader *r, polynomial *p)
{
    number_token token;
    number_exact exact;
    const char *start = r->cursor.at;
    plumb_status status = scan_number(r, &token);
    if (status != PLUMB_OK)
        return status;
    mpq_t zero;
    mpq_init(zero);
    plumb_exact_init(&exact);
    status = plumb_exact_from_token(&r->cursor, &token, &exact, r->error);
    char word[TEXT_SHORT];
    if (status == PLUMB_OK && exact.exponent != 0)
        status = plumb_text_error_at(&r->cursor, start, PLUMB_ERR_RANGE, r->error,
                                     "found %s, expected a number from about 10^-5000 to 10^5000",
                                     plumb_text_shorten(start, r->cursor.at, word));
    else if (status == PLUMB_OK)
        status = refused(r, start, set_constant(p, exact.value, zero));
    plumb_exact_clear(&exact);
    mpq_clear(zero);
    return status;
}

static plumb_status read_sum(system_reader *r, quotient *q);

static plumb_status read_parentheses(system_reader *r, quotient *q)
{
    const char *start = r->cursor.at++;
    if (++r->depth > SYSTEM_DEPTH)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_SIZE, r->error,
                                   "found parentheses more than %d deep, expected fewer", SYSTEM_DEPTH);
    plumb_status status = read_sum(r, q);
    if (status != PLUMB_OK)
        return status;
    if (text_peek(&r->cursor, 0) != ')')
        return plumb_system_expected_operator(r, false, "')'");
    r->cursor.at++;
    r->depth--;
    return PLUMB_OK;
}

static plumb_status find_unknown(system_reader *r, const char *start, size_t length, int32_t *unknown)
{
    int64_t index = plumb_names_find(&r->names, start, length);
    char word[TEXT_SHORT];
    if (index < 0 && r->undeclared != NULL)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error, "found '%s', expected %s",
                                   plumb_text_shorten(start, start + length, word), r->undeclared);
    if (index < 0) {
        index = r->names.count;
        if (r->most_unknowns >= 0 && index >= r->most_unknowns)
            return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                       "found the unknown '%s', number %lld, expected %lld as line %lld says",
                                       plumb_text_shorten(start, start + length, word), (long long)index + 1,
                                       (long long)r->most_unknowns, (long long)r->header_line);
        plumb_status status = index < INT32_MAX ? plumb_names_add(&r->names, start, length) : PLUMB_ERR_MEMORY;
        if (status != PLUMB_OK)
            return refused(r, start, status);
    }
    *unknown = (int32_t)index;
    return PLUMB_OK;
}

/* Multiplies by i with its exponent, or divides by it. */
static plumb_status read_imaginary(system_reader *r, const char *start, product *m, bool divides)
{
    int64_t exponent;
    plumb_status status = read_exponent(r, &exponent);
    if (status != PLUMB_OK)
        return status;
    if (r->imaginary == NULL)
        r->imaginary = start;
    if (exponent > 1 && r->powers_of_i == NULL)
        r->powers_of_i = start;
    exponent = (divides ? -exponent : exponent) & 3; /* modulo 4 */
    if (exponent % 2 != 0) {                         /* times i */
        mpq_swap(m->re, m->im);
        mpq_neg(m->re, m->re);
    }
    if (exponent >= 2) { /* times -1 */
        mpq_neg(m->re, m->re);
        mpq_neg(m->im, m->im);
    }
    return PLUMB_OK;
}

/* Multiplies by the value of a name with its exponent, or divides by it. */
static plumb_status read_symbol(system_reader *r, const char *start, const system_symbol *symbol, product *m,
                                bool divides)
{
    char word[TEXT_SHORT];
    if (!symbol->defined)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                   "found '%s' before it has a value, expected its definition first",
                                   plumb_text_shorten(start, r->cursor.at, word));
    const polynomial *value = &symbol->value;
    quotient q = {.under.list = NULL};
    int64_t exponent;
    plumb_status status = read_exponent(r, &exponent);
    if (status != PLUMB_OK)
        return status;
    for (int64_t i = 0; i < value->count && status == PLUMB_OK; i++) {
        const system_term *t = &value->terms[i];
        status =
            plumb_work_spend(&r->work, 1 + t->count / 8 + (coefficient_limbs(t->re) + coefficient_limbs(t->im)) / 8);
        if (status == PLUMB_OK)
            status = plumb_poly_append(&q.top, t->re, t->im, value->factors + t->first, t->count, t->degree);
    }
    status = status == PLUMB_OK ? multiply_power(r, start, m, &q, exponent, divides) : refused(r, start, status);
    plumb_quotient_clear(&q);
    return status;
}

/* m *= unknown^exponent, or m /= unknown^exponent; the exponent may be negative. */
static plumb_status multiply_by_unknown(system_reader *r, const char *start, product *m, int32_t unknown,
                                        int64_t exponent, bool divides)
{
    plumb_status status = divides && exponent < 0 ? divide_unknown(r, m, unknown, 0) : PLUMB_OK;
    exponent = divides ? -exponent : exponent;
    if (exponent < 0 && r->quotients == NULL)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                   "found a division by a polynomial, expected one by a number");
    if (status == PLUMB_OK)
        status = exponent < 0 ? divide_unknown(r, m, unknown, -exponent) : multiply_unknown(r, m, unknown, exponent);
    return refused(r, start, status);
}

/* Multiplies the product by a name with its exponent, or divides it; i and I are the imaginary unit. */
static plumb_status read_name(system_reader *r, product *m, bool divides)
{
    const char *start = r->cursor.at;
    char word[TEXT_SHORT];
    const size_t length = r->indexed ? plumb_system_indexed_word(&r->cursor) : plumb_system_word(&r->cursor);
    r->cursor.at += length;
    if (text_peek(&r->cursor, 0) == '(')
        return plumb_text_error_at(
            &r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
            "found '(' after the name '%s', expected '*' before it: there are products, but no functions",
            plumb_text_shorten(start, r->cursor.at, word));
    const int64_t symbol = r->symbols != NULL ? plumb_names_find(r->symbols, start, length) : -1;
    if (symbol >= 0)
        return read_symbol(r, start, &r->symbol[symbol], m, divides);
    if (length == 1 && (*start == 'i' || *start == 'I') && !r->no_imaginary)
        return read_imaginary(r, start, m, divides);
    int32_t unknown = 0;
    int64_t exponent;
    plumb_status status = find_unknown(r, start, length, &unknown);
    if (status == PLUMB_OK)
        status = read_exponent(r, &exponent);
    return status == PLUMB_OK ? multiply_by_unknown(r, start, m, unknown, exponent, divides) : status;
}

/* m *= power, or m /= power */
static plumb_status read_power(system_reader *r, product *m, bool divides)
{
    int byte = text_peek(&r->cursor, 0);
    const char *start = r->cursor.at;
    bool number = text_is_digit(byte) || byte == '.';
    if (!number && text_is_name(byte))
        return read_name(r, m, divides);
    if (!number && byte != '(')
        return plumb_text_expected(&r->cursor, "a number, an unknown or '('", r->error);
    quotient q = {.under.list = NULL};
    int64_t exponent;
    plumb_status status = number ? read_number(r, &q.top) : read_parentheses(r, &q);
    if (status == PLUMB_OK)
        status = read_exponent(r, &exponent);
    if (status == PLUMB_OK)
        status = multiply_power(r, start, m, &q, exponent, divides);
    plumb_quotient_clear(&q);
    return status;
}

/* Does a factor follow the one before it directly, without '*'? Not after 0 where 0x1 is a hexadecimal number. */
static bool factor_follows(const text_cursor *c)
{
    const int before = c->at > c->begin ? (unsigned char)c->at[-1] : 0, next = text_peek(c, 0);
    if ((!text_is_digit(before) && before != ')') || text_is_digit(next) || (next != '(' && !text_is_name(next)))
        return false;
    const int earlier = c->at - c->begin > 1 ? (unsigned char)c->at[-2] : 0;
    return !(before == '0' && !text_is_digit(earlier) && earlier != '.' && (next | 0x20) == 'x' &&
             number_digit(text_peek(c, 1)) >= 0);
}

static plumb_status read_product(system_reader *r, product *m)
{
    bool divided = false;
    plumb_status status = read_power(r, m, false);
    while (status == PLUMB_OK) {
        plumb_system_skip_after(r);
        const int sign = text_peek(&r->cursor, 0);
        if (sign == '*' || sign == '/') {
            r->cursor.at++;
            plumb_system_skip(r);
        } else if (!factor_follows(&r->cursor)) {
            return PLUMB_OK;
        } else if (divided) {
            return plumb_text_expected(&r->cursor, "'*' after a divisor: 1/2x can mean 1/2*x or 1/(2*x)", r->error);
        }
        divided = sign == '/';
        status = read_power(r, m, divided);
    }
    return status;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------ */

/* Reads any number of signs. Returns true if together they are a minus. */
static bool read_signs(system_reader *r)
{
    bool minus = false;
    for (;; r->cursor.at++) {
        plumb_system_skip(r);
        int byte = text_peek(&r->cursor, 0);
        if (byte != '+' && byte != '-')
            return minus;
        minus = minus != (byte == '-');
    }
}

static plumb_status read_sum(system_reader *r, quotient *q)
{
    plumb_status status = PLUMB_OK;
    int byte;
    do {
        bool minus = read_signs(r);
        const char *start = r->cursor.at;
        product m;
        product_init(&m);
        status = read_product(r, &m);
        if (status == PLUMB_OK && minus) {
            mpq_neg(m.re, m.re);
            mpq_neg(m.im, m.im);
        }
        if (status == PLUMB_OK)
            status = refused(r, start, add_quotient(r, q, &m));
        product_clear(&m);
        byte = text_peek(&r->cursor, 0);
    } while (status == PLUMB_OK && (byte == '+' || byte == '-'));
    return status == PLUMB_OK ? refused(r, r->cursor.at, plumb_quotient_finish(r->quotients, q)) : status;
}

plumb_status plumb_system_expression(system_reader *r, polynomial *p)
{
    quotient q = {.top = *p};
    quotient_table *const quotients = r->quotients;
    r->quotients = NULL; /* then there are no divisors */
    const plumb_status status = read_sum(r, &q);
    r->quotients = quotients;
    *p = q.top;
    return status;
}

/* ---- Equations -------------------------------------------------------------------------------------------------- */

/* left -= right, which is consumed */
static plumb_status subtract(system_reader *r, quotient *left, quotient *right)
{
    for (int64_t i = 0; i < right->top.count; i++) {
        mpq_neg(right->top.terms[i].re, right->top.terms[i].re);
        mpq_neg(right->top.terms[i].im, right->top.terms[i].im);
    }
    plumb_status status = plumb_quotient_add(r->quotients, left, right, &r->work);
    if (status == PLUMB_OK)
        status = plumb_quotient_finish(r->quotients, left);
    return refused(r, r->cursor.at, status);
}

plumb_status plumb_system_equation(system_reader *r, quotient *q)
{
    plumb_status status = read_sum(r, q);
    if (status != PLUMB_OK || text_peek(&r->cursor, 0) != '=')
        return status;
    quotient right = {.under.list = NULL};
    r->cursor.at++;
    status = read_sum(r, &right);
    if (status == PLUMB_OK)
        status = subtract(r, q, &right);
    plumb_quotient_clear(&right);
    if (status == PLUMB_OK && text_peek(&r->cursor, 0) == '=')
        return plumb_text_expected(&r->cursor, "one '=' per equation", r->error);
    return status;
}

plumb_status plumb_system_expected_operator(const system_reader *r, bool equals, const char *end)
{
    char expected[80];
    snprintf(expected, sizeof expected, "'+', '-', '*', '/', '^'%s or %s", equals ? ", '='" : "", end);
    return plumb_text_expected(&r->cursor, expected, r->error);
}
