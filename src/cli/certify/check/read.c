/* read.c - reads the certificates of a file of solutions (JSON). docs/certification.md describes the format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "cli/certify/check/check.h"
#include "text/json/read.h"
#include "text/number/number.h"

typedef struct check_reader {
    const char *name; /* of the file */
    check_file *file;
    int64_t *place; /* the unknown of the system for each unknown of the file */
    int64_t k;      /* the current solution */
} check_reader;

static int wrong_member(const check_reader *r, const char *where, const char *what)
{
    return app_misuse(NULL, "%s: solutions[%lld].%s: expected %s", r->name, (long long)r->k, where, what);
}

static int wrong(const check_reader *r, const char *where, const char *what)
{
    return app_misuse(NULL, "%s: solutions[%lld].certificate.%s: expected %s", r->name, (long long)r->k, where, what);
}

static int64_t length_of(const json_node *array)
{
    int64_t count = 0;
    for (const json_node *n = array && array->kind == JSON_ARRAY ? array->child : NULL; n; n = n->next)
        count++;
    return count;
}

static bool read_answer(const json_node *node, const char *key, check_answer *answer)
{
    const json_node *value = json_member(node, key);
    *answer = !value || value->kind != JSON_BOOL ? CHECK_UNKNOWN : value->number != 0.0 ? CHECK_YES : CHECK_NO;
    return !value || value->kind == JSON_BOOL || value->kind == JSON_NULL;
}

/* ---- The box ------------------------------------------------------------------------------------------------------ */

/* A real number, exactly. */
static bool read_exact(const json_node *node, mpq_t value)
{
    return node->kind == JSON_STRING && plumb_real_exact(node->string, value);
}

static bool make_room(check_claim *claim, int64_t n)
{
    claim->re = malloc((size_t)n * sizeof *claim->re);
    claim->im = malloc((size_t)n * sizeof *claim->im);
    claim->radius = malloc((size_t)n * sizeof *claim->radius);
    if (!claim->re || !claim->im || !claim->radius) {
        free(claim->re);
        free(claim->im);
        free(claim->radius);
        claim->re = claim->im = claim->radius = NULL;
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        mpq_init(claim->re[i]);
        mpq_init(claim->im[i]);
        mpq_init(claim->radius[i]);
    }
    return true;
}

static int read_box(const check_reader *r, const json_node *node, check_claim *claim)
{
    const int64_t n = r->file->system->unknowns;
    const json_node *centre = json_member(node, "centre"), *radius = json_member(node, "radius");
    if (length_of(centre) != n)
        return wrong(r, "centre", "a list with a pair of numbers as strings for each unknown");
    if (length_of(radius) != n)
        return wrong(r, "radius", "a list with a number as a string for each unknown");
    if (!make_room(claim, n))
        return app_fail("certify", "out of memory");
    const json_node *c = centre->child, *d = radius->child;
    for (int64_t i = 0; i < n; i++, c = c->next, d = d->next) {
        const int64_t to = r->place[i];
        if (length_of(c) != 2 || !read_exact(c->child, claim->re[to]) || !read_exact(c->child->next, claim->im[to]))
            return wrong(r, "centre", "pairs of numbers as strings, [\"re\", \"im\"]");
        if (!read_exact(d, claim->radius[to]) || mpq_sgn(claim->radius[to]) <= 0)
            return wrong(r, "radius", "positive numbers as strings");
    }
    return APP_OK;
}

/* ---- The record --------------------------------------------------------------------------------------------------- */

static int read_point(const check_reader *r, const json_node *node, check_record *record)
{
    const int64_t n = r->file->system->unknowns;
    if (!node)
        return APP_OK;
    if (length_of(node) != n)
        return wrong_member(r, "x", "a list with a pair of numbers as strings for each unknown");
    record->re = malloc((size_t)n * sizeof *record->re);
    record->im = malloc((size_t)n * sizeof *record->im);
    if (!record->re || !record->im) {
        free(record->re);
        free(record->im);
        record->re = record->im = NULL;
        return app_fail("certify", "out of memory");
    }
    for (int64_t i = 0; i < n; i++) {
        mpq_init(record->re[i]);
        mpq_init(record->im[i]);
    }
    const json_node *x = node->child;
    for (int64_t i = 0; i < n; i++, x = x->next) {
        const int64_t to = r->place[i];
        if (length_of(x) != 2 || !read_exact(x->child, record->re[to]) || !read_exact(x->child->next, record->im[to]))
            return wrong_member(r, "x", "pairs of numbers as strings, [\"re\", \"im\"]");
    }
    return APP_OK;
}

static int read_record(const check_reader *r, const json_node *node)
{
    check_record *record = &r->file->claim[r->k].record;
    const json_node *kind = json_member(node, "kind"), *multiplicity = json_member(node, "multiplicity");
    if (!read_answer(node, "real", &record->real))
        return wrong_member(r, "real", "true, false or null");
    const char *name = kind && kind->kind == JSON_STRING ? kind->string : "";
    if (strcmp(name, "regular") == 0)
        record->regular = CHECK_YES;
    else if (strcmp(name, "singular") == 0)
        record->regular = CHECK_NO;
    else if (kind && strcmp(name, "cluster") != 0) /* of which nothing is claimed */
        return wrong_member(r, "kind", "\"regular\", \"singular\" or \"cluster\"");
    if (multiplicity) {
        const double value = multiplicity->kind == JSON_NUMBER ? multiplicity->number : -1.0;
        if (!(value >= 0.0 && value <= 0x1p53) || value != floor(value))
            return wrong_member(r, "multiplicity", "an integer that is not negative");
        record->multiplicity = (int64_t)value;
    }
    return read_point(r, json_member(node, "x"), record);
}

/* ---- Certificates ------------------------------------------------------------------------------------------------- */

static int read_certificate(const check_reader *r, const json_node *node)
{
    static const char *const words[] = {"certified", "squared up",     "excluded",
                                        "singular",  "no contraction", "not finite"};
    static const check_verdict verdicts[] = {CHECK_CERTIFIED, CHECK_SQUARED, CHECK_EXCLUDED,
                                             CHECK_NONE,      CHECK_NONE,    CHECK_NONE};
    const char *word = json_member_string(node, "verdict", "");
    check_claim *claim = &r->file->claim[r->k];
    size_t k = 0;
    while (k < sizeof words / sizeof words[0] && strcmp(word, words[k]) != 0)
        k++;
    if (k == sizeof words / sizeof words[0])
        return wrong(r, "verdict", "certified, squared up, excluded, singular, no contraction or not finite");
    const check_verdict verdict = verdicts[k];
    if (verdict == CHECK_NONE)
        return APP_OK;
    const bool combined = r->file->square && !r->file->exact;
    if ((verdict == CHECK_CERTIFIED) == combined)
        return wrong(r, "verdict",
                     combined ? "not certified, because the file has \"square_up\""
                              : "certified, because the file has no \"square_up\"");
    if (!read_answer(node, "real", &claim->real) || !read_answer(node, "positive", &claim->positive) ||
        !read_answer(node, "distinct", &claim->distinct))
        return wrong(r, "real, .positive and .distinct", "true, false or null");
    const double bits = json_member_number(node, "bits", 64.0), same = json_member_number(node, "same_as", 0.0);
    if (!(bits >= 2.0 && bits <= 65536.0) || bits != floor(bits))
        return wrong(r, "bits", "a number from 2 to 65536");
    if (!(same >= 0.0 && same <= 0x1p53) || same != floor(same))
        return wrong(r, "same_as", "the number of a solution or null");
    claim->bits = (int64_t)bits;
    claim->same_as = (int64_t)same - 1;
    claim->verdict = verdict;
    return read_box(r, node, claim);
}

/* Without combinations, the equations that the others follow from must be as many as there are unknowns. */
static int choose_equations(check_reader *r)
{
    const int64_t m = r->file->system->equations, n = r->file->system->unknowns;
    int64_t left = 0, row = 0;
    bool *stays = calloc((size_t)m, sizeof *stays);
    r->file->square = calloc((size_t)(m * n), sizeof *r->file->square);
    int result = APP_OK;
    if (!stays || !r->file->square || !check_follow(r->file->system, stays, &left))
        result = app_fail("certify", "out of memory");
    else if (left != n)
        result = app_misuse(NULL,
                            "%s: found no \"square_up\", expected it because the system has %lld independent equations "
                            "in %lld unknowns",
                            r->name, (long long)left, (long long)n);
    for (int64_t e = 0; stays && e < m && result == APP_OK; e++)
        if (stays[e])
            r->file->square[row++ * m + e] = 1;
    r->file->exact = true;
    free(stays);
    return result;
}

static int read_square(check_reader *r, const json_node *node)
{
    const int64_t m = r->file->system->equations, n = r->file->system->unknowns;
    const char *const expected = "a row of whole numbers below 2^31 for each unknown, one number per equation";
    int64_t i = 0;
    if (!node || node->kind == JSON_NULL)
        return m == n ? APP_OK : choose_equations(r);
    r->file->square = calloc((size_t)(m * n), sizeof *r->file->square);
    if (!r->file->square)
        return app_fail("certify", "out of memory");
    if (length_of(node) != n)
        return app_misuse(NULL, "%s: square_up: expected %s", r->name, expected);
    for (const json_node *row = node->child; row; row = row->next, i++) {
        int64_t e = 0;
        if (length_of(row) != m)
            return app_misuse(NULL, "%s: square_up: expected %s", r->name, expected);
        for (const json_node *by = row->child; by; by = by->next, e++) {
            if (by->kind != JSON_NUMBER || !(fabs(by->number) < 0x1p31) || by->number != floor(by->number))
                return app_misuse(NULL, "%s: square_up: expected %s", r->name, expected);
            r->file->square[i * m + e] = (long)by->number;
        }
    }
    return APP_OK;
}

/* ---- The file ----------------------------------------------------------------------------------------------------- */

static int match_unknowns(check_reader *r, const json_node *unknowns)
{
    const plumb_system *s = r->file->system;
    int64_t i = 0;
    r->place = calloc((size_t)s->unknowns, sizeof *r->place);
    if (!r->place)
        return app_fail("certify", "out of memory");
    if (length_of(unknowns) != s->unknowns)
        return app_misuse(NULL, "%s: found %lld unknowns, expected the %lld of the system", r->name,
                          (long long)length_of(unknowns), (long long)s->unknowns);
    for (const json_node *n = unknowns->child; n; n = n->next, i++) {
        int64_t k = 0;
        while (k < s->unknowns && !(n->kind == JSON_STRING && strcmp(n->string, s->names[k]) == 0))
            k++;
        for (int64_t before = 0; before < i && k < s->unknowns; before++)
            if (r->place[before] == k)
                k = s->unknowns;
        if (k == s->unknowns)
            return app_misuse(NULL, "%s: unknowns[%lld]: expected each unknown of the system once", r->name,
                              (long long)i);
        r->place[i] = k;
    }
    return APP_OK;
}

/* Numbers that are none count as wrong ones. */
static double read_count(const json_node *root, const char *key)
{
    const json_node *value = json_member(root, key);
    return !value || value->kind == JSON_NULL ? (double)NAN : value->kind == JSON_NUMBER ? value->number : -1.0;
}

static int read_summary(const check_reader *r, const json_node *root)
{
    check_summary *summary = &r->file->summary;
    for (int k = 0; k < CHECK_COUNTS; k++)
        summary->count[k] = read_count(root, check_count_names[k]);
    summary->bound = read_count(root, "bound");
    summary->bezout = strcmp(json_member_string(root, "bound_name", ""), "Bezout number") == 0;
    if (!read_answer(root, "complete", &summary->complete))
        return app_misuse(NULL, "%s: complete: expected true or false", r->name);
    return APP_OK;
}

static int read_tree(check_reader *r, const json_node *root)
{
    const json_node *list = json_member(root, "solutions");
    int64_t found = 0, claims = 0;
    if (!list || list->kind != JSON_ARRAY)
        return app_misuse(NULL, "%s: found no list \"solutions\", expected one", r->name);
    int result = match_unknowns(r, json_member(root, "unknowns"));
    if (result == APP_OK)
        result = read_square(r, json_member(root, "square_up"));
    if (result == APP_OK)
        result = read_summary(r, root);
    if (result != APP_OK)
        return result;
    r->file->claim = calloc((size_t)length_of(list) + 1, sizeof *r->file->claim);
    if (!r->file->claim)
        return app_fail("certify", "out of memory");
    for (const json_node *node = list->child; node && result == APP_OK; node = node->next, r->k++) {
        const json_node *certificate = json_member(node, "certificate");
        r->file->count++;
        r->file->claim[r->k].same_as = -1;
        if (!certificate || certificate->kind == JSON_NULL)
            continue;
        found++;
        result = certificate->kind == JSON_OBJECT ? read_certificate(r, certificate)
                                                  : wrong(r, "verdict", "an object with a verdict");
        if (result == APP_OK && r->file->claim[r->k].verdict != CHECK_NONE) {
            claims++;
            result = read_record(r, node);
        }
    }
    if (result == APP_OK && found == 0)
        return app_misuse(NULL, "%s: found no \"certificate\" in its solutions, expected at least one", r->name);
    if (result == APP_OK && claims == 0)
        return app_misuse(NULL, "%s: found no certificate that claims anything, expected at least one with a box",
                          r->name);
    return result;
}

int check_file_read(const char *command, const char *path, const plumb_system *system, check_file *file)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    json_node *root = NULL;
    plumb_text_error error;
    check_reader r = {.name = app_input_name(path), .file = file};
    *file = (check_file){.system = system};
    int result = app_bytes_load(command, path, file_may_be_text, &bytes, &length);
    if (result == APP_OK) {
        const plumb_status status = json_read((const char *)bytes, length, &root, &error);
        if (status == PLUMB_ERR_MEMORY)
            result = app_fail(command, "%s: out of memory", r.name);
        else if (status != PLUMB_OK)
            result = app_misuse(NULL, "%s:%lld:%lld: %s", r.name, (long long)error.line, (long long)error.column,
                                error.message);
    }
    if (result == APP_OK)
        result = read_tree(&r, root);
    json_free(root);
    free(bytes);
    free(r.place);
    return result;
}

void check_file_clear(check_file *file)
{
    for (int64_t k = 0; file->claim && k < file->count; k++) {
        check_claim *claim = &file->claim[k];
        for (int64_t i = 0; claim->re && i < file->system->unknowns; i++) {
            mpq_clear(claim->re[i]);
            mpq_clear(claim->im[i]);
            mpq_clear(claim->radius[i]);
        }
        for (int64_t i = 0; claim->record.re && i < file->system->unknowns; i++) {
            mpq_clear(claim->record.re[i]);
            mpq_clear(claim->record.im[i]);
        }
        free(claim->re);
        free(claim->im);
        free(claim->radius);
        free(claim->record.re);
        free(claim->record.im);
    }
    free(file->claim);
    free(file->square);
    *file = (check_file){.system = NULL};
}
