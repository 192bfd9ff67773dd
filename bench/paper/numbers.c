/* numbers.c - see bench_paper_numbers.h. */
#include "bench/paper/numbers.h"

#include <stddef.h>

#include "plumb.h"

const paper_overhead paper_table1[PAPER_OVERHEADS] = {
    {PLUMB_D, PLUMB_REAL, "double", 3.7, 1.0, 32},
    {PLUMB_D, PLUMB_COMPLEX, "complex double", 26.8, 7.2, 62},
    {PLUMB_DD, PLUMB_COMPLEX, "complex double double", 291.5, 78.8, 134},
    {PLUMB_QD, PLUMB_COMPLEX, "complex quad double", 2916.8, 788.3, 296},
};

const paper_accuracy paper_table2[PAPER_ACCURACIES] = {
    {PLUMB_D, 1, -14.5, -14.0, 0.5},   {PLUMB_DD, 1, -30.6, -30.1, 0.5},  {PLUMB_D, 4, -11.7, -11.0, 0.7},
    {PLUMB_DD, 4, -27.8, -27.1, 0.7},  {PLUMB_D, 8, -7.8, -7.0, 0.8},     {PLUMB_DD, 8, -24.0, -23.1, 1.0},
    {PLUMB_D, 12, -3.9, -3.1, 0.8},    {PLUMB_DD, 12, -20.1, -19.2, 0.9}, {PLUMB_D, 16, -0.2, 1.0, 1.2},
    {PLUMB_DD, 16, -16.4, -15.1, 1.3}, {PLUMB_DD, 17, -15.5, -14.1, 1.3}, {PLUMB_QD, 17, -48.1, -47.1, 1.0},
    {PLUMB_DD, 20, -12.6, -11.1, 1.5}, {PLUMB_QD, 20, -45.1, -44.2, 0.9}, {PLUMB_DD, 24, -8.8, -7.2, 1.6},
    {PLUMB_QD, 24, -41.3, -40.2, 1.2}, {PLUMB_DD, 28, -4.7, -3.2, 1.5},   {PLUMB_QD, 28, -37.7, -36.1, 1.6},
    {PLUMB_DD, 32, -1.0, 0.8, 1.9},    {PLUMB_QD, 32, -33.9, -32.2, 1.8},
};

const paper_row paper_table3[PAPER_PRECISIONS] = {
    {PLUMB_D, 32, 13.4, 5.3, 2.5},
    {PLUMB_DD, 32, 115.6, 16.5, 7.0},
    {PLUMB_QD, 32, 785.0, 108.0, 7.3},
};

const paper_row paper_table4[PAPER_D_SIZES] = {
    {PLUMB_D, 16, 2.01, 4.11, 0.49},        {PLUMB_D, 32, 14.61, 6.52, 2.24},
    {PLUMB_D, 48, 47.80, 11.11, 4.30},      {PLUMB_D, 64, 112.60, 15.38, 7.32},
    {PLUMB_D, 80, 217.52, 22.89, 9.50},     {PLUMB_D, 96, 373.06, 30.43, 12.26},
    {PLUMB_D, 112, 589.35, 40.82, 14.44},   {PLUMB_D, 128, 876.11, 49.10, 17.84},
    {PLUMB_D, 144, 1243.26, 67.41, 18.44},  {PLUMB_D, 160, 1701.57, 80.42, 21.16},
    {PLUMB_D, 176, 2260.07, 99.94, 22.61},  {PLUMB_D, 192, 2932.15, 116.90, 25.08},
    {PLUMB_D, 208, 3722.77, 149.45, 24.91}, {PLUMB_D, 224, 4641.71, 172.30, 26.94},
    {PLUMB_D, 240, 5703.77, 211.30, 26.99}, {PLUMB_D, 256, 6935.10, 234.29, 29.60},
};

const paper_row paper_table5[2 * PAPER_DD_SIZES] = {
    {PLUMB_DD, 16, 17.17, 11.85, 1.45},     {PLUMB_DD, 32, 125.06, 22.44, 5.57},
    {PLUMB_DD, 48, 408.20, 35.88, 11.38},   {PLUMB_DD, 64, 952.35, 55.18, 17.26},
    {PLUMB_DD, 80, 1841.07, 79.11, 23.27},  {PLUMB_QD, 16, 113.51, 143.07, 0.79},
    {PLUMB_QD, 32, 813.65, 155.32, 5.24},   {PLUMB_QD, 48, 2556.36, 266.55, 9.59},
    {PLUMB_QD, 64, 6216.06, 409.57, 15.18}, {PLUMB_QD, 80, 12000.15, 597.47, 20.08},
};

const char *const paper_part_names[PAPER_PARTS] = {"evaluation and differentiation (PE)", "orthogonalization (MGS)",
                                                   "both (PE + MGS)"};

const paper_row paper_table6[PAPER_PARTS][PAPER_PRECISIONS] = {
    {{PLUMB_D, 32, 11.0, 1.3, 8.5}, {PLUMB_DD, 32, 66.0, 2.1, 31.4}, {PLUMB_QD, 32, 396.0, 14.2, 27.9}},
    {{PLUMB_D, 32, 13.4, 5.3, 2.5}, {PLUMB_DD, 32, 115.6, 16.5, 7.0}, {PLUMB_QD, 32, 785.0, 108.0, 7.0}},
    {{PLUMB_D, 32, 24.4, 6.6, 3.7}, {PLUMB_DD, 32, 181.6, 18.6, 9.8}, {PLUMB_QD, 32, 1181.0, 122.2, 9.7}},
};

const paper_row *paper_solve_row(int32_t prec, int32_t n)
{
    for (int k = 0; k < PAPER_D_SIZES; k++)
        if (paper_table4[k].prec == prec && paper_table4[k].n == n)
            return &paper_table4[k];
    for (int k = 0; k < 2 * PAPER_DD_SIZES; k++)
        if (paper_table5[k].prec == prec && paper_table5[k].n == n)
            return &paper_table5[k];
    return NULL;
}

const double paper_elimination_faster = 3, paper_elimination_worse = 6;
