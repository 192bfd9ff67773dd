/* groups.h - partitions of the unknowns into groups, and the number of solutions that each allows.
 *
 * Let n_j be the number of unknowns of group j and d_ij the degree of equation i in these unknowns. The number of isolated
 * solutions is at most the multi-homogeneous Bezout number, the coefficient of a_1^n_1 ... a_m^n_m in the product over i of
 * (d_i1 a_1 + ... + d_im a_m): one equation per unknown is assigned to each group, in all possible ways. With one group it
 * is the product of the degrees; the right groups can have far fewer (n instead of 2^n for n x n eigenvalue problems).
 * Reference: Morgan and Sommese, A homotopy for solving general polynomial systems that respects m-homogeneous structures,
 * 1987; for the search, Wampler, Bezout number calculations for multi-homogeneous polynomial systems, 1992. */
#ifndef PLUMB_SOLVER_MULTIHOMOGENEOUS_GROUPS_H
#define PLUMB_SOLVER_MULTIHOMOGENEOUS_GROUPS_H

#include <stdbool.h>

#include "model/system/system.h"

enum { GROUPS_MOST_STATES = 1 << 20 }; /* maximum size of the table of an assignment_table */

typedef struct unknown_groups {
    int64_t unknowns;
    int32_t count;   /* m */
    int32_t *of;     /* group of each unknown; groups are numbered by their first unknown */
    int32_t *size;   /* n_j; room for as many groups as unknowns */
    int32_t *degree; /* d_ij: entry i * unknowns + j */
    int64_t paths;   /* the multi-homogeneous Bezout number; INT64_MAX stands for all that are not smaller */
} unknown_groups;

/* Finds groups of a system with as many equations as unknowns: all partitions of up to about 8 unknowns are tried, of more
 * only those that follow from how unknowns occur in equations and terms, and those that a local search leads to from there. The result depends on the system alone: the search ends after a number of
 * operations that depends on the number of paths with one group, so that it takes less time than the paths. PLUMB_ERR_ARGUMENT if the system is not square, PLUMB_ERR_SIZE for more than 1024 unknowns. */
PLUMB_USE_RESULT plumb_status plumb_groups_find(const plumb_system *system, unknown_groups *groups);

/* The same for groups that are given: of has one number from 0 to unknowns - 1 per unknown. */
PLUMB_USE_RESULT plumb_status plumb_groups_make(const plumb_system *system, const int32_t *of, unknown_groups *groups);

void plumb_groups_clear(unknown_groups *groups);

/* For each number of unknowns r_j that are left in the groups, in how many ways the last sum(r_j) equations can be assigned
 * to them, each way with d_ij choices in equation i. State r has the index sum(r_j * stride_j). */
typedef struct assignment_table {
    int64_t *ways; /* INT64_MAX: at least this many */
    int64_t *stride;
    int64_t states;
} assignment_table;

/* PLUMB_ERR_SIZE for more than most states. */
PLUMB_USE_RESULT plumb_status plumb_assignments_make(const unknown_groups *groups, int64_t most,
                                                     assignment_table *table);
void plumb_assignments_clear(assignment_table *table);

/* The assignment with this number, from 0 to paths - 1: the group of each equation, and which of its d_ij choices. */
void plumb_assignment_get(const unknown_groups *groups, const assignment_table *table, int64_t number, int32_t *group,
                          int32_t *choice);

#endif
