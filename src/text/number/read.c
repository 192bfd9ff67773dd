/* read.c - reads a text that consists of one real or complex number.
 *
 *   text    = number with at most two pairs of ( ) around it
 *   number  = term [sign term]      one real and one imaginary term, in either order, or one of them
 *   term    = [sign] (real [["*"] unit] | unit ["*" real])
 *   unit    = "i" | "I"
 *
 * White space is allowed between any two of these, and around the "/" of a ratio. */
#include "text/number/number.h"

#include "base/memory/reserve.h"

enum { MOST_PARENTHESES = 2 };

typedef struct complex_token {
    number_token part[2]; /* real, imaginary */
    bool has[2];
} complex_token;

static bool at_unit(const text_cursor *c)
{
    return (text_peek(c, 0) == 'i' || text_peek(c, 0) == 'I') && !text_is_name(text_peek(c, 1));
}

/* Scans one term without its sign. *imaginary receives which part it is, *unit the position of its i. */
static plumb_status scan_term(text_cursor *c, number_token *token, bool *imaginary, const char **unit,
                              plumb_text_error *error)
{
    const unsigned which = NUMBER_WITH_ALL & ~(unsigned)NUMBER_WITH_SIGN;
    plumb_status status;
    *imaginary = at_unit(c);
    if (*imaginary) {
        static const char one[] = "1";
        *unit = c->at++;
        *token = (number_token){.kind = NUMBER_DECIMAL, .text = {*unit, 1}, .first = {one, 1}, .second = {one + 1, 0}};
        text_cursor ahead = *c;
        text_skip_space(&ahead);
        if (text_peek(&ahead, 0) != '*')
            return PLUMB_OK;
        ahead.at++;
        text_skip_space(&ahead);
        *c = ahead;
        return plumb_number_scan(c, which, token, error);
    }
    status = plumb_number_scan(c, which, token, error);
    if (status != PLUMB_OK)
        return status;
    text_cursor ahead = *c;
    text_skip_space(&ahead);
    bool star = text_peek(&ahead, 0) == '*';
    if (star) {
        ahead.at++;
        text_skip_space(&ahead);
    }
    *imaginary = at_unit(&ahead);
    if (*imaginary) {
        *unit = ahead.at++;
        *c = ahead;
    } else if (star) {
        return plumb_text_expected(&ahead, "'i'", error);
    }
    return PLUMB_OK;
}

/* Scans all terms. */
static plumb_status scan_terms(text_cursor *c, bool complex_allowed, complex_token *number, plumb_text_error *error)
{
    for (int terms = 0;; terms++) {
        int sign = text_peek(c, 0);
        bool signed_term = sign == '+' || sign == '-';
        if (terms > 0 && !signed_term)
            return PLUMB_OK;
        text_cursor start = *c;
        if (signed_term) {
            c->at++;
            text_skip_space(c);
        }
        number_token token;
        bool imaginary;
        const char *unit = NULL;
        plumb_status status = scan_term(c, &token, &imaginary, &unit, error);
        if (status != PLUMB_OK)
            return status;
        if (imaginary && !complex_allowed)
            return plumb_text_error_at(c, unit, PLUMB_ERR_PARSE, error,
                                       "found an imaginary part, expected a real number");
        if (number->has[imaginary] || (terms > 0 && !complex_allowed))
            return plumb_text_error_at(c, start.at, PLUMB_ERR_PARSE, error, "found a second %s part, expected %s",
                                       imaginary ? "imaginary" : "real",
                                       terms > 1 || !complex_allowed ? "the end of the number"
                                       : imaginary                   ? "a real part"
                                                                     : "an imaginary part");
        token.negative = sign == '-';
        number->part[imaginary] = token;
        number->has[imaginary] = true;
        text_skip_space(c);
    }
}

static plumb_status scan_number(text_cursor *c, bool complex_allowed, complex_token *number, plumb_text_error *error)
{
    int open = 0;
    text_skip_space(c);
    for (; open < MOST_PARENTHESES && text_peek(c, 0) == '('; open++) {
        c->at++;
        text_skip_space(c);
    }
    plumb_status status = scan_terms(c, complex_allowed, number, error);
    if (status != PLUMB_OK)
        return status;
    for (; open > 0; open--) {
        if (text_peek(c, 0) != ')')
            return plumb_text_expected(c, complex_allowed ? "'+', '-' or ')'" : "')'", error);
        c->at++;
        text_skip_space(c);
    }
    if (c->at < c->end)
        return plumb_text_expected(c, "the end of the number", error);
    return PLUMB_OK;
}

static plumb_status round_part(const text_cursor *c, const complex_token *number, int part, int32_t prec, double *limbs,
                               plumb_text_error *error)
{
    if (number->has[part])
        return plumb_number_round(c, &number->part[part], prec, limbs, error);
    for (int32_t i = 0; i < prec; i++)
        limbs[i] = 0;
    return PLUMB_OK;
}

static plumb_status part_exactly(const text_cursor *c, const complex_token *number, int part, mpq_t value,
                                 plumb_text_error *error)
{
    number_exact exact;
    mpq_set_ui(value, 0, 1);
    if (!number->has[part])
        return PLUMB_OK;
    plumb_exact_init(&exact);
    plumb_status status = plumb_exact_from_token(c, &number->part[part], &exact, error);
    if (status == PLUMB_OK && exact.kind != NUMBER_RATIONAL)
        status = plumb_text_error_at(c, number->part[part].text.at, PLUMB_ERR_PARSE, error,
                                     "found a number that is not finite, expected a finite one");
    else if (status == PLUMB_OK && exact.exponent != 0)
        status = plumb_text_error_at(c, number->part[part].text.at, PLUMB_ERR_RANGE, error,
                                     "the exponent is far beyond the range of a double");
    else if (status == PLUMB_OK && !reserve_limbs((int64_t)number->part[part].text.length / 8 + 1))
        status = plumb_text_error_at(c, number->part[part].text.at, PLUMB_ERR_MEMORY, error, "out of memory");
    else if (status == PLUMB_OK)
        mpq_set(value, exact.value);
    plumb_exact_clear(&exact);
    return status;
}

plumb_status plumb_complex_exact(const char *text, size_t length, mpq_t re, mpq_t im, plumb_text_error *error)
{
    text_cursor c = {.begin = text, .at = text, .end = text + length};
    complex_token number = {.has = {false, false}};
    plumb_status status = scan_number(&c, true, &number, error);
    if (status == PLUMB_OK)
        status = part_exactly(&c, &number, 0, re, error);
    if (status == PLUMB_OK)
        status = part_exactly(&c, &number, 1, im, error);
    return status;
}

bool plumb_real_exact(const char *text, mpq_t value)
{
    plumb_text_error error;
    mpq_t im;
    mpq_init(im);
    const bool good = plumb_complex_exact(text, strlen(text), value, im, &error) == PLUMB_OK && mpq_sgn(im) == 0;
    mpq_clear(im);
    return good;
}

static plumb_status read_number(const char *text, size_t length, int32_t prec, double *re, double *im,
                                plumb_text_error *error)
{
    static const char empty[1];
    if (text == NULL)
        text = empty;
    text_cursor c = {.begin = text, .at = text, .end = text + length};
    if ((text == empty && length > 0) || re == NULL || plumb_prec_name(prec) == NULL)
        return plumb_text_error_at(&c, text, PLUMB_ERR_ARGUMENT, error, "%s", plumb_status_text(PLUMB_ERR_ARGUMENT));
    complex_token number = {.has = {false, false}};
    plumb_status status = scan_number(&c, im != NULL, &number, error);
    if (status == PLUMB_OK)
        status = round_part(&c, &number, 0, prec, re, error);
    if (status == PLUMB_OK && im != NULL)
        status = round_part(&c, &number, 1, prec, im, error);
    return status;
}

plumb_status plumb_number_read(const char *text, size_t length, int32_t prec, double *re, double *im,
                               plumb_text_error *error)
{
    plumb_text_error mine = {0};
    if (error == NULL)
        error = &mine;
    return plumb_text_tell(read_number(text, length, prec, re, im, error), error);
}
