/* machine.h - the state of the emulated GPU while it runs a kernel: clusters of blocks of threads, and what each of
 * them waits for.
 *
 * schedule.c runs the threads, collective.c has the collective operations of blocks and warps, mbarrier.c the
 * barriers in shared memory and the messages between blocks. One kernel runs at a time, on the host thread that
 * launched it. */
#ifndef PLUMB_EMULATOR_MACHINE_H
#define PLUMB_EMULATOR_MACHINE_H

#include "emulator.h"
#include "fiber.h"

enum {
    EMU_MULTIPROCESSORS = 4,
    EMU_MAX_THREADS = 1024,
    EMU_MAX_CLUSTER = 16,
    EMU_PORTABLE_CLUSTER = 8,
    EMU_SHARED_DEFAULT = 48 << 10,
    EMU_SHARED_MOST = 227 << 10,
    EMU_NAMED_BARRIERS = 16,
    EMU_GUARD = 4096 /* guard bytes before and behind shared memory */
};

typedef struct emu_block emu_block;
typedef struct emu_thread emu_thread;

typedef struct emu_list { /* of threads that wait */
    emu_thread *first, *last;
} emu_list;

typedef struct emu_gate { /* opens when all have come */
    int arrived, expected;
    unsigned opened; /* how often */
    emu_list waiting;
} emu_gate;

typedef struct emu_warp {
    emu_gate gate;
    const char *what; /* what those at the gate called */
    uint64_t deposit
        [2][EMU_WARP]; /* by parity of turn: the next exchange cannot overwrite what a slow thread has still to read */
    unsigned turn;
    int threads;
} emu_warp;

typedef struct emu_write { /* a write that has been requested but not done yet */
    double *to;
    const double *from; /* NULL: a value */
    double value;
    const emu_block *block; /* the block that owns the memory */
} emu_write;
typedef struct emu_writes {
    emu_write *item;
    size_t count, room;
} emu_writes;

struct emu_thread {
    emu_thread_view view; /* first: emu_self points here */
    emu_block *block;
    emu_warp *warp;
    int lane;
    fiber fiber;
    emu_thread *next;        /* in a list of waiting threads */
    const uint64_t *barrier; /* in shared memory, that it waits for */
    emu_site site;           /* where it waits, or waited last */
    int started, ended;
    int arrived;               /* at the gate of the cluster, and has not waited for it yet */
    unsigned opened;           /* how often that had opened before */
    emu_writes copies, stores; /* from global memory; to other blocks */
    int reads;                 /* of flags since it last waited or paused */
};

typedef struct emu_cluster {
    emu_block *blocks;
    emu_gate gate;
    int live; /* threads; 0: not in use */
} emu_cluster;

struct emu_block {
    emu_block_view view;
    emu_cluster *cluster;
    emu_thread *threads;
    emu_warp *warps;
    emu_gate named[EMU_NAMED_BARRIERS]; /* 0: the whole block */
    emu_list at_barriers;               /* threads that wait at barriers in shared memory */
    char *memory;                       /* guard, shared memory, guard */
    size_t shared;                      /* bytes */
    int count, live;                    /* threads */
};

typedef struct emu_launch {
    const void *kernel;
    emu_caller caller;
    void **arguments;
    dim3 grid, block;
    int cluster; /* blocks, along x */
    size_t shared;
} emu_launch;

/* schedule.c */
void emu_run(const emu_launch *launch);
int emu_resident_clusters(int cluster, int threads); /* that live at once */
emu_thread *emu_current(void);
uint64_t emu_random(void);                       /* always 0 with seed 0 */
void emu_wait_in(emu_list *list, emu_site site); /* until emu_wake */
void emu_wake(emu_list *list);                   /* all of it */
void emu_make_ready(emu_thread *t);
void emu_progress(void); /* something happened that a spinning thread may have waited for */
void emu_give_way(emu_site site);
uint64_t emu_now(void); /* steps so far */

/* mbarrier.c */
emu_block *emu_cluster_block(int rank, emu_site site);
size_t emu_shared_offset(const void *p, size_t bytes, const char *name, emu_site site);
void emu_messages_begin(void);
int emu_deliver_due(void); /* 0: no message is pending */

/* copy.c */
void emu_stores_done(void);

/* collective.c: called when a thread ends, for those that wait for it */
void emu_thread_left(emu_thread *t);

/* report.c: all of them end the process */
__attribute__((noreturn, format(printf, 2, 3))) void emu_die(emu_site site, const char *format, ...);
__attribute__((noreturn)) void emu_die_stuck(const char *why, const emu_launch *launch, const emu_cluster *clusters,
                                             int count);
void emu_report_launch(const emu_launch *launch); /* which kernel messages are about; NULL: none */

#endif
