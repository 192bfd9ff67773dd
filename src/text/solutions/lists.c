/* lists.c - finds the list of solutions in a text of PHCpack's format that may have several.
 *
 * A list is two counts and a line of =, usually after a heading. The output files of phc have up to four kinds of them:
 *
 *   START SOLUTIONS :              solutions of the start system, not of the system that the file begins with
 *   THE SOLUTIONS :                a log of the paths, where each entry begins with "== 1 =  #step :" instead of "solution 1 :"
 *   the given solutions :          the input of a refinement
 *   THE SOLUTIONS :                the result; "A list of 4 solutions has been refined :" follows a list that was refined
 *
 * The last list is the one that is meant: each of them replaces the one before it. This does not hold for a system of which some
 * solutions have zero coordinates. phc -b refines these on their own, and the file has two results, neither of them with all solutions.
 * So every earlier list must be one that the last replaces; otherwise the text is ambiguous and is refused. */
#include <string.h>

#include "text/solutions/text.h"

typedef struct solution_list {
    const char *heading;         /* the line before the counts */
    const char *heading_end;     /* heading itself if there is none */
    const char *counts;          /* or what is found instead of them */
    int64_t solutions, unknowns; /* 0 unknowns: no counts after the heading */
    bool log;                    /* entries of paths */
    bool refined;                /* what follows it says so */
} solution_list;

static const char *trim(const char *line, const char *end)
{
    while (end > line && text_is_space((unsigned char)end[-1]))
        end--;
    return end;
}

static bool begins_with(const char *line, const char *end, const char *word)
{
    size_t n = strlen(word);
    while (line < end && text_is_space((unsigned char)*line))
        line++;
    return (size_t)(end - line) >= n && memcmp(line, word, n) == 0;
}

static bool contains(const char *line, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; (size_t)(end - line) >= n; line++)
        if (memcmp(line, word, n) == 0)
            return true;
    return false;
}

/* True for a line that ends in "SOLUTIONS :". */
static bool is_heading(const char *line, const char *end)
{
    static const char word[] = "SOLUTIONS";
    end = trim(line, end);
    if (end == line || end[-1] != ':')
        return false;
    end = trim(line, end - 1);
    return (size_t)(end - line) >= sizeof word - 1 && memcmp(end - (sizeof word - 1), word, sizeof word - 1) == 0;
}

/* True if two whole numbers, alone on their line, and a line of = follow; the cursor moves behind the latter. Counts that are too
 * large become INT64_MAX, which no text is long enough for. */
static bool take_counts(text_cursor *c, solution_list *list)
{
    text_cursor ahead = *c;
    int64_t *const count[] = {&list->solutions, &list->unknowns};
    text_skip_blanks(&ahead);
    list->counts = ahead.at;
    for (int n = 0; n < 2; n++) {
        if (!text_is_digit(text_peek(&ahead, 0)))
            return false;
        for (*count[n] = 0; text_is_digit(text_peek(&ahead, 0)); ahead.at++)
            if (__builtin_mul_overflow(*count[n], 10, count[n]) ||
                __builtin_add_overflow(*count[n], *ahead.at - '0', count[n]))
                *count[n] = INT64_MAX;
        text_skip_blanks(&ahead);
    }
    text_skip_space(&ahead);
    if (text_peek(&ahead, 0) != '=' || text_peek(&ahead, 1) != '=')
        return false;
    text_skip_line(&ahead);
    *c = ahead;
    text_skip_space(&ahead);
    list->log = text_peek(&ahead, 0) == '=' && text_peek(&ahead, 1) == '=' && text_peek(&ahead, 2) == ' ';
    return true;
}

static bool is_start(const solution_list *list)
{
    return contains(list->heading, list->heading_end, "START");
}

/* Does the later list contain everything that the earlier one, a result or the input of a refinement, is about? */
static bool replaces(const solution_list *later, const solution_list *earlier)
{
    bool result = begins_with(later->heading, later->heading_end, "THE SOLUTIONS :"),
         plain = begins_with(earlier->heading, earlier->heading_end, "THE SOLUTIONS :") ||
                 begins_with(earlier->heading, earlier->heading_end, "the given solutions");
    return result && plain && !earlier->refined && later->solutions == earlier->solutions &&
           later->unknowns == earlier->unknowns;
}

typedef struct list_finder {
    solution_list last;       /* the last list so far; heading is NULL if there is none */
    solution_list earlier;    /* the last one before it that has solutions of the system */
    const char *start_system; /* the heading of a start system that is not the first in the text */
} list_finder;

/* Makes the list the last one. Returns the heading of an earlier list that it does not replace, or NULL. A heading without counts and a log
 * replace nothing; the list after them is compared with what was before them. */
static const char *take_list(list_finder *f, const solution_list *list)
{
    const solution_list previous = f->last;
    f->last = *list;
    if (previous.heading != NULL && is_start(&previous) && is_start(list))
        return previous.heading;
    if (previous.unknowns > 0 && !previous.log && !is_start(&previous))
        f->earlier = previous;
    bool compared = list->unknowns > 0 && !list->log && f->earlier.heading != NULL;
    return compared && !replaces(list, &f->earlier) ? f->earlier.heading : NULL;
}

static plumb_status find_all(text_cursor *c, list_finder *f, plumb_text_error *error)
{
    const char *before = c->at, *before_end = c->at; /* the last line that is not blank */
    for (; c->at < c->end; c->at += c->at < c->end) {
        const char *line = c->at;
        solution_list list = {.heading = before, .heading_end = before_end};
        bool counts = take_counts(c, &list);
        text_skip_line(c);
        const char *end = trim(line, c->at);
        if (!counts && is_heading(line, end)) {
            text_cursor ahead = *c;
            text_skip_space(&ahead);
            list = (solution_list){.heading = line, .heading_end = end, .counts = ahead.at};
            solution_list found = list;
            if (!take_counts(&ahead, &found)) /* the reader of counts says what is wrong with them */
                (void)take_list(f, &list);
        } else if (!counts && begins_with(line, end, "A list of ") && contains(line, end, "refined")) {
            f->last.refined = true;
        } else if (!counts && f->start_system == NULL && before < before_end && contains(line, end, "START SYSTEM")) {
            f->start_system = line;
        }
        const char *other = counts ? take_list(f, &list) : NULL;
        if (other != NULL)
            return plumb_text_error_at(
                c, list.heading, PLUMB_ERR_PARSE, error,
                "found a list that does not replace the one of line %lld (phc -b refines "
                "solutions with zero coordinates apart), expected one list; the input file of phc -b "
                "gets all solutions",
                (long long)plumb_text_line(c, other));
        if (line < end) {
            before = line;
            before_end = end;
        }
    }
    return PLUMB_OK;
}

plumb_status plumb_solutions_find(text_cursor *c, plumb_text_error *error)
{
    list_finder f = {.start_system = NULL};
    text_cursor all = *c;
    plumb_status status = find_all(&all, &f, error);
    if (status != PLUMB_OK)
        return status;
    c->at = f.last.heading != NULL ? f.last.heading : c->end;
    if (f.last.heading == NULL)
        return plumb_text_error_at(c, c->at, PLUMB_ERR_PARSE, error,
                                   "found no line 'THE SOLUTIONS :', expected one before a list of solutions");
    if (f.last.log)
        return plumb_text_error_at(
            c, c->at, PLUMB_ERR_PARSE, error,
            "found a log of paths without the list of their endpoints after it, expected a list of "
            "solutions");
    if (is_start(&f.last) && f.start_system != NULL)
        return plumb_text_error_at(
            c, c->at, PLUMB_ERR_PARSE, error,
            "found only start solutions, of the start system of line %lld, expected solutions of the "
            "system that the text begins with",
            (long long)plumb_text_line(c, f.start_system));
    c->at = f.last.counts;
    return PLUMB_OK;
}
