/* judge.h - the paper's statements as rules that numbers follow or do not. Every rule is applied to the paper's own
 * numbers and to those of each machine by the same lines; no verdict is typed. */
#ifndef PLUMB_BENCH_PAPER_JUDGE_H
#define PLUMB_BENCH_PAPER_JUDGE_H

#include "bench/paper/sources.h"

enum { NOT_MEASURED, HOLDS, DOES_NOT_HOLD };

typedef struct paper_finding {
    int verdict;
    char text[240]; /* the numbers it was decided by */
} paper_finding;

/* machine NULL: the paper. */
typedef void (*paper_judge)(const paper_sources *s, const paper_source *machine, paper_finding *f);

typedef struct paper_statement {
    const char *id, *claim, *rule; /* rule: when it is said to hold */
    paper_judge judge;
} paper_statement;

enum { PAPER_STATEMENTS = 14 };
extern const paper_statement paper_statements[PAPER_STATEMENTS];

#endif
