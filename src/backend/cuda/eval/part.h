/* part.h - one part of a plan under construction: growing lists, with products numbered in order of first use. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_PART_H
#define PLUMB_BACKEND_CUDA_EVAL_PART_H

#include <stdbool.h>

#include "backend/cuda/eval/plan.h"

typedef struct eval_list {
    int32_t *item;
    int64_t count, room;
    bool full; /* memory was exhausted */
} eval_list;

/* Levels of powers and bunches, which are computed before and after the products. */
enum { EVAL_LEVEL_POWER = -1, EVAL_LEVEL_BUNCH = INT32_MAX };

/* A number is 0 (the constant 1), 1 .. unknowns, or 1 + unknowns + i for product i; powers and the results of bunches
 * count as products. */
typedef struct eval_part {
    eval_list a, b, level;                          /* for each product; level 0 is the first */
    eval_list power_unknown, power_exponent, power; /* the number of each power */
    eval_list bunch_k, bunch_raised, bunch_kept, bunch_to, bunch_start;
    eval_list bunch; /* from bunch_start on: numbers of k factors, then of the lower powers of raised factors */
    eval_list piece_start, piece_row, piece_col;
    eval_list term, place; /* number, and place of its coefficient in the program */
    eval_list fold_stage, fold_start, fold_row, fold_col;
    eval_list summand; /* piece i, or -1 - i for fold i */
    eval_list zero_row, zero_col;
} eval_part;

enum { EVAL_PART_LISTS = sizeof(eval_part) / sizeof(eval_list) };

/* The state for making one part after another. */
typedef struct eval_maker {
    const eval_wish *wish;
    int32_t *number;      /* number of each slot of the program in this part; -1: none yet */
    eval_list met;        /* slots whose number is set */
    int32_t *tree;        /* 5 * most_factors; see struct tree in part.c */
    int64_t *first_entry; /* equations + 1 entries: the beginning of each equation in entry */
    int32_t *entry;       /* entries by equation */
} eval_maker;

plumb_status plumb_eval_maker_open(eval_maker *maker, const eval_wish *wish);
void plumb_eval_maker_close(eval_maker *maker);

/* Makes a part of equations first .. last - 1. */
plumb_status plumb_eval_part_make(eval_maker *maker, int32_t first, int32_t last, eval_part *part);
void plumb_eval_part_free(eval_part *part);

#endif
