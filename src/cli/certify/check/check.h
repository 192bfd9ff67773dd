/* check.h - plumb certify --check: proves certificates again.
 *
 * This folder shares nothing with the code that makes certificates except the parsers of systems, numbers and JSON: it has its own
 * arithmetic (interval.h), evaluation, elimination and comparisons. read.c reads a file, follow.c finds equations that follow from
 * others, box.c proves a box, claims.c compares boxes exactly, summary.c compares the counts of the file, check.c prints. */
#ifndef PLUMB_CLI_CERTIFY_CHECK_H
#define PLUMB_CLI_CERTIFY_CHECK_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/system/system.h"

typedef enum check_verdict { CHECK_NONE, CHECK_CERTIFIED, CHECK_SQUARED, CHECK_EXCLUDED } check_verdict;
typedef enum check_answer { CHECK_NO = -1, CHECK_UNKNOWN = 0, CHECK_YES = 1 } check_answer;

/* The members of the record of a solution, other than its certificate, that a box decides. */
typedef struct check_record {
    mpq_t *re, *im;    /* x, one per unknown of the system; NULL: it is not there */
    check_answer real; /* CHECK_UNKNOWN: the file has none */
    check_answer regular;
    int64_t multiplicity; /* 0: the file has none */
} check_record;

/* What a certificate claims. Boxes are exact. */
typedef struct check_claim {
    check_verdict verdict; /* CHECK_NONE: nothing is claimed */
    int64_t bits;
    check_answer real, positive, distinct;
    int64_t same_as;         /* from 0; -1: none */
    mpq_t *re, *im, *radius; /* one per unknown of the system; NULL without a box */
    check_record record;
    char why[200]; /* why the claim does not hold; "": it does */
} check_claim;

/* The counts of a file, in the order of their names (summary.c). */
typedef enum check_count {
    COUNT_POINTS,
    COUNT_CERTIFIED,
    COUNT_SQUARED,
    COUNT_EXCLUDED,
    COUNT_DISTINCT,
    COUNT_REAL,
    COUNT_NOT_REAL,
    COUNT_POSITIVE,
    CHECK_COUNTS
} check_count;

extern const char *const check_count_names[CHECK_COUNTS];

/* The counts of a file, over all solutions. */
typedef struct check_summary {
    double count[CHECK_COUNTS]; /* NaN: the file has none */
    double bound;               /* NaN: there is none */
    bool bezout;                /* the bound is the Bezout number, by the file */
    check_answer complete;
    char why[200]; /* why it does not hold; "": it does */
} check_summary;

typedef struct check_file {
    const plumb_system *system;
    int64_t count;
    check_claim *claim;
    /* Combinations of the equations, unknowns x equations, row by row; NULL: none, the system is square. If they are exact, the
     * other equations follow from them: then they are as many of the equations themselves. */
    long *square;
    bool exact;
    check_summary summary;
} check_file;

/* APP_OK, or one line and the exit status. The file is to be cleared also then. */
int check_file_read(const char *command, const char *path, const plumb_system *system, check_file *file);
void check_file_clear(check_file *file);

/* Marks the equations that stay if those that follow from others are left out, *left of them. False without memory. */
bool check_follow(const plumb_system *system, bool *stays, int64_t *left);

/* Proves that there is exactly one zero in the box of a claim (and no solution, if that is claimed), or writes why. False without
 * memory. */
bool check_box(const check_file *file, check_claim *claim);

/* Shows that the x of the record belongs to the zero in the box of a claim that is proven: there is a larger box, with the same centre,
 * that has exactly one zero and contains x. Or writes why. False without memory. */
bool check_point(const check_file *file, check_claim *claim);

/* Checks the claims about real and positive zeros and what the record says besides, and then those about distinct and equal ones.
 * False without memory. */
void check_reality(const check_file *file, check_claim *claim);
void check_kind(check_claim *claim);
bool check_distinct(const check_file *file);

/* Compares the summary with the claims, all of which hold, and writes why it is wrong. */
void check_summary_compare(check_file *file);

#endif
