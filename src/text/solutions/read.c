/* read.c - reads solutions in PHCpack's format:
 *
 *   THE SOLUTIONS :
 *   2 2                                         number of solutions, number of unknowns
 *   ============================
 *   solution 1 :                                the rest of the line is not read
 *   t :  1.0E+00   0.0E+00
 *   m : 1
 *   the solution for t :
 *    x :  7.0E-01  -2.5E-01
 *    y :  1.5E+00   0.0E+00
 *   == err :  1.0E-16 = rco :  4.7E-02 = res :  2.2E-16 =
 *
 * The heading may be missing if the text begins with the counts; in a longer text it may be anywhere (lists.c). */
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "text/number/number.h"
#include "text/solutions/text.h"
#include "text/system/names.h"

typedef struct solutions_reader {
    text_cursor cursor;
    plumb_text_error *error;
    plumb_solutions *solutions;
    system_names names;
    int64_t *seen; /* 1 + the last solution that gave a value for an unknown */
    int64_t most_solutions;
    int64_t most_unknowns;
    plumb_points *exact; /* receives the numbers without rounding, or NULL */
    bool exactly;        /* it is wanted */
} solutions_reader;

static plumb_status expected(const solutions_reader *r, const char *what)
{
    return plumb_text_expected(&r->cursor, what, r->error);
}

/* Accepts the letters of word in either case, not followed by another character of a name. */
static bool take_word(text_cursor *c, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        if (text_peek(c, i) < 0 || (text_peek(c, i) | 0x20) != word[i])
            return false;
    if (text_is_name(text_peek(c, n)))
        return false;
    c->at += n;
    return true;
}

static bool take_colon(text_cursor *c)
{
    text_cursor ahead = *c;
    text_skip_blanks(&ahead);
    if (text_peek(&ahead, 0) != ':')
        return false;
    ahead.at++;
    text_skip_blanks(&ahead);
    *c = ahead;
    return true;
}

/* Reads "word :" after any white space. */
static plumb_status read_label(solutions_reader *r, const char *word, const char *what)
{
    text_skip_space(&r->cursor);
    text_cursor start = r->cursor;
    if (take_word(&r->cursor, word) && take_colon(&r->cursor))
        return PLUMB_OK;
    r->cursor = start;
    return expected(r, what);
}

static plumb_status read_line_end(solutions_reader *r)
{
    text_skip_blanks(&r->cursor);
    int byte = text_peek(&r->cursor, 0);
    return byte < 0 || byte == '\n' ? PLUMB_OK : expected(r, "the end of the line");
}

static plumb_status read_whole(solutions_reader *r, int64_t most, const char *what, int64_t *value)
{
    const text_cursor start = r->cursor;
    if (!text_is_digit(text_peek(&start, 0)))
        return expected(r, what);
    for (*value = 0; text_is_digit(text_peek(&r->cursor, 0)); r->cursor.at++) {
        *value = *value <= most ? 10 * *value + (*r->cursor.at - '0') : *value;
        if (*value > most)
            return plumb_text_expected(&start, what, r->error);
    }
    return PLUMB_OK;
}

static plumb_status read_real(solutions_reader *r, int32_t prec, double *limbs)
{
    number_token token;
    text_skip_blanks(&r->cursor);
    plumb_status status =
        plumb_number_scan(&r->cursor, NUMBER_WITH_ALL & ~(unsigned)NUMBER_WITH_RATIO, &token, r->error);
    return status == PLUMB_OK ? plumb_number_round(&r->cursor, &token, prec, limbs, r->error) : status;
}

/* A coordinate of a point without rounding. */
static plumb_status read_exactly(solutions_reader *r, mpq_t value)
{
    number_token token;
    text_skip_blanks(&r->cursor);
    plumb_status status =
        plumb_number_scan(&r->cursor, NUMBER_WITH_ALL & ~(unsigned)NUMBER_WITH_RATIO, &token, r->error);
    return status == PLUMB_OK ? plumb_solutions_exactly(&r->cursor, &token, value, r->error) : status;
}

static plumb_status read_complex(solutions_reader *r, double *limbs)
{
    int32_t prec = r->solutions->prec;
    plumb_status status = read_real(r, prec, limbs);
    if (status == PLUMB_OK)
        status = read_real(r, prec, limbs + prec);
    return status == PLUMB_OK ? read_line_end(r) : status;
}

/* ---- The beginning of the list ------------------------------------------------------------------------------------- */

/* Reads the two counts. A solution takes a minimum number of bytes, plus some per unknown, so the counts are checked
 * against the length of the remaining text. */
static plumb_status read_counts(solutions_reader *r, int32_t prec)
{
    enum { SOLUTION_BYTES = 40, UNKNOWN_BYTES = 5, FEW_UNKNOWNS = 100000 }; /* an empty list has no bytes for them */
    const int64_t most = INT64_MAX / 1000;
    const char *start = r->cursor.at;
    plumb_status status = read_whole(r, most, "a number of solutions", &r->most_solutions);
    text_skip_blanks(&r->cursor);
    if (status == PLUMB_OK)
        status = read_whole(r, most, "a number of unknowns", &r->most_unknowns);
    if (status == PLUMB_OK)
        status = read_line_end(r);
    if (status != PLUMB_OK)
        return status;
    int64_t bytes = r->cursor.end - r->cursor.at, each, all;
    if (r->most_unknowns < 1)
        return plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                   "found solutions of 0 unknowns, expected at least 1");
    bool fits = size_mul(r->most_unknowns, UNKNOWN_BYTES, &each) && size_add(each, SOLUTION_BYTES, &each) &&
                size_mul(each, r->most_solutions, &all) && all <= bytes &&
                (r->most_unknowns <= FEW_UNKNOWNS || r->most_unknowns <= bytes + 1);
    if (!fits)
        return plumb_text_error_at(
            &r->cursor, start, PLUMB_ERR_PARSE, r->error,
            "found a header for %lld solutions of %lld unknowns, expected fewer: only %lld bytes "
            "follow",
            (long long)r->most_solutions, (long long)r->most_unknowns, (long long)bytes);
    status = plumb_solutions_create(r->most_solutions, r->most_unknowns, prec, NULL, &r->solutions);
    if (status == PLUMB_OK && r->exactly)
        status = plumb_points_make(r->most_solutions, r->most_unknowns, &r->exact);
    r->seen = calloc((size_t)r->most_unknowns, sizeof *r->seen);
    if (status == PLUMB_OK && r->seen == NULL)
        status = PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK)
        return plumb_text_error_at(&r->cursor, start, status, r->error, "%s", plumb_status_text(status));
    return PLUMB_OK;
}

/* ---- Solutions ------------------------------------------------------------------------------------------------- */

/* Reads " name : re im"; the first solution fixes the order of the unknowns. */
static plumb_status read_unknown(solutions_reader *r, int64_t k)
{
    text_skip_space(&r->cursor);
    const char *start = r->cursor.at;
    while (text_peek(&r->cursor, 0) > ' ' && text_peek(&r->cursor, 0) != ':' && text_peek(&r->cursor, 0) != '=')
        r->cursor.at++;
    size_t length = (size_t)(r->cursor.at - start);
    text_cursor name = r->cursor;
    name.at = start;
    char word[TEXT_SHORT];
    if (length == 0)
        return plumb_text_expected(&name, "the name of an unknown", r->error);
    plumb_text_shorten(start, start + length, word);
    int64_t index = plumb_names_find(&r->names, start, length);
    if (index < 0 && k > 0)
        return plumb_text_error_at(&name, start, PLUMB_ERR_PARSE, r->error,
                                   "found the unknown '%s', expected those of the first solution", word);
    if (index < 0) {
        index = r->names.count;
        if (plumb_names_add(&r->names, start, length) != PLUMB_OK)
            return plumb_text_error_at(&name, start, PLUMB_ERR_MEMORY, r->error, "out of memory");
    }
    if (r->seen[index] == k + 1)
        return plumb_text_error_at(&name, start, PLUMB_ERR_PARSE, r->error,
                                   "found the unknown '%s' again, expected each once a solution", word);
    r->seen[index] = k + 1;
    if (!take_colon(&r->cursor))
        return expected(r, "':' after the name of an unknown");
    if (r->exactly) {
        mpq_t *value = point_value(r->exact, k, index);
        plumb_status status = read_exactly(r, value[0]);
        if (status == PLUMB_OK)
            status = read_exactly(r, value[1]);
        return status == PLUMB_OK ? read_line_end(r) : status;
    }
    return read_complex(r, solution_value(r->solutions, k, index));
}

/* Reads "== err : a = rco : b = res : c"; the rest of the line is ignored. */
static plumb_status read_quality(solutions_reader *r, solution_record *record)
{
    double *const value[] = {&record->err, &record->rco, &record->res};
    static const char *const label[] = {"err", "rco", "res"};
    static const char *const what[] = {"'== err :'", "'= rco :'", "'= res :'"};
    plumb_status status = PLUMB_OK;
    text_skip_space(&r->cursor);
    for (int i = 0; i < 3 && status == PLUMB_OK; i++) {
        text_skip_blanks(&r->cursor);
        if (text_peek(&r->cursor, 0) != '=')
            return expected(r, what[i]);
        while (text_peek(&r->cursor, 0) == '=')
            r->cursor.at++;
        text_skip_blanks(&r->cursor);
        if (!take_word(&r->cursor, label[i]) || !take_colon(&r->cursor))
            return expected(r, what[i]);
        status = read_real(r, PLUMB_D, value[i]);
    }
    text_skip_line(&r->cursor);
    return status;
}

static plumb_status read_solution(solutions_reader *r, int64_t k)
{
    text_skip_space(&r->cursor);
    if (r->cursor.at == r->cursor.end)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found end of text after %lld solutions, expected %lld", (long long)k,
                                   (long long)r->most_solutions);
    if (!take_word(&r->cursor, "solution"))
        return expected(r, "'solution'");
    text_skip_line(&r->cursor);
    plumb_solutions *s = r->solutions;
    plumb_status status = read_label(r, "t", "'t :'");
    if (status == PLUMB_OK)
        status = read_complex(r, s->t + k * 2 * s->prec);
    if (status == PLUMB_OK)
        status = read_label(r, "m", "'m :'");
    if (status == PLUMB_OK)
        status = read_whole(r, INT64_MAX / 16, "a multiplicity, a whole number", &s->record[k].multiplicity);
    if (status == PLUMB_OK)
        status = read_line_end(r);
    if (status != PLUMB_OK)
        return status;
    text_skip_space(&r->cursor);
    if (!take_word(&r->cursor, "the"))
        return expected(r, "'the solution for t :'");
    text_skip_line(&r->cursor);
    for (int64_t i = 0; i < r->most_unknowns && status == PLUMB_OK; i++)
        status = read_unknown(r, k);
    return status == PLUMB_OK ? read_quality(r, &s->record[k]) : status;
}

/* The unknowns of an empty list have no names and get default ones. */
static plumb_status name_unknowns(solutions_reader *r)
{
    for (int64_t i = 0; r->names.count < r->most_unknowns; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "x%lld", (long long)i + 1);
        if (plumb_names_add(&r->names, name, (size_t)length) != PLUMB_OK)
            return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_MEMORY, r->error, "out of memory");
    }
    for (int64_t i = 0; i < r->most_unknowns; i++) { /* the names move */
        r->solutions->names[i] = r->names.name[i];
        r->names.name[i] = NULL;
    }
    return PLUMB_OK;
}

static plumb_status read_list(solutions_reader *r, int32_t prec)
{
    plumb_status status = plumb_solutions_find(&r->cursor, r->error);
    if (status == PLUMB_OK)
        status = read_counts(r, prec);
    if (status != PLUMB_OK)
        return status;
    text_skip_space(&r->cursor);
    while (text_peek(&r->cursor, 0) == '=')
        r->cursor.at++;
    for (int64_t k = 0; k < r->most_solutions && status == PLUMB_OK; k++)
        status = read_solution(r, k);
    if (status != PLUMB_OK)
        return status;
    text_skip_space(&r->cursor);
    const char *more = r->cursor.at;
    if (take_word(&r->cursor, "solution"))
        return plumb_text_error_at(&r->cursor, more, PLUMB_ERR_PARSE, r->error,
                                   "found one more solution, expected %lld", (long long)r->most_solutions);
    return name_unknowns(r);
}

/* exact (or NULL) receives the points without rounding. */
static plumb_status read_solutions(const char *text, size_t length, int32_t prec, plumb_solutions **solutions,
                                   plumb_points **exact, plumb_text_error *error)
{
    static const char empty[1];
    bool valid = (text != NULL || length == 0) && plumb_prec_name(prec) != NULL;
    *solutions = NULL;
    text = text != NULL ? text : empty;
    solutions_reader r = {.cursor = text_begin(text, valid ? length : 0), .error = error, .exactly = exact != NULL};
    if (!valid)
        return plumb_text_error_at(&r.cursor, text, PLUMB_ERR_ARGUMENT, error, "%s",
                                   plumb_status_text(PLUMB_ERR_ARGUMENT));
    text_cursor start = r.cursor;
    text_skip_space(&start);
    if (text_peek(&start, 0) == '{')
        return plumb_solutions_read_json(&r.cursor, prec, solutions, exact, error);
    plumb_status status = read_list(&r, prec);
    if (status == PLUMB_OK)
        *solutions = r.solutions;
    else
        plumb_solutions_destroy(r.solutions);
    if (status == PLUMB_OK && exact)
        *exact = r.exact;
    else
        plumb_points_destroy(r.exact);
    plumb_names_clear(&r.names);
    free(r.seen);
    return status;
}

plumb_status plumb_solutions_read(const char *text, size_t length, int32_t prec, plumb_solutions **solutions,
                                  plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (error == NULL)
        error = &mine;
    if (solutions == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "solutions is NULL");
    return plumb_text_tell(read_solutions(text, length, prec, solutions, NULL, error), error);
}

static plumb_status read_points(const char *text, size_t length, plumb_points **points, plumb_text_error *error)
{
    plumb_solutions *rounded = NULL; /* has the names; its numbers are not used */
    plumb_status status = read_solutions(text, length, PLUMB_D, &rounded, points, error);
    if (status == PLUMB_OK && rounded != NULL) {
        status = plumb_points_name(*points, (const char *const *)rounded->names);
        if (status != PLUMB_OK) {
            plumb_points_destroy(*points);
            *points = NULL;
            plumb_say(status, error->message, sizeof error->message, "out of memory");
        }
    }
    plumb_solutions_destroy(rounded);
    return status;
}

plumb_status plumb_points_read(const char *text, size_t length, plumb_points **points, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    error = error ? error : &mine;
    if (!points)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "points is NULL");
    *points = NULL;
    return plumb_text_tell(read_points(text, length, points, error), error);
}

plumb_status plumb_solutions_exactly(const text_cursor *c, const number_token *token, mpq_t value,
                                     plumb_text_error *error)
{
    plumb_text_error inner = {.line = 0};
    mpq_t im;
    mpq_init(im);
    plumb_status status = plumb_complex_exact(token->text.at, token->text.length, value, im, &inner);
    mpq_clear(im);
    if (status != PLUMB_OK)
        plumb_text_error_at(c, token->text.at, status, error, "%s", inner.message);
    return status;
}
