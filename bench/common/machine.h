/* machine.h - the description of the machine that every result contains. */
#ifndef PLUMB_BENCH_COMMON_MACHINE_H
#define PLUMB_BENCH_COMMON_MACHINE_H

typedef struct bench_machine {
    char cpu[128];
    const char *arch;
    int cores;
    char date[32]; /* UTC, 2026-01-31T12:00:00Z */
} bench_machine;

bench_machine bench_machine_now(void);

/* The clock rate of a busy core, from a chain of dependent integer additions: one per cycle on every current processor. */
double bench_clock_ghz(void);

#endif
