/* report.c - a faulty kernel ends the program with a message that names the kernel, the thread and the place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

enum { MOST_LINES = 40 };

static const emu_launch *reported;

void emu_report_launch(const emu_launch *launch)
{
    reported = launch;
}

/* The name of a kernel is known only if it is not static; its address in the program always is (addr2line -fe program address). */
static void print_kernel(void)
{
    fprintf(stderr, "emulated GPU: ");
    if (!reported)
        return;
    Dl_info info = {0};
    if (dladdr(reported->kernel, &info) && info.dli_sname)
        fprintf(stderr, "kernel %s", info.dli_sname);
    else if (info.dli_fname)
        fprintf(stderr, "kernel at %#zx in %s", (size_t)((const char *)reported->kernel - (const char *)info.dli_fbase),
                info.dli_fname);
    fprintf(stderr, ", grid %u x %u x %u, clusters of %d, %u threads: ", reported->grid.x, reported->grid.y,
            reported->grid.z, reported->cluster, reported->block.x);
}

static void print_site(emu_site site)
{
    if (site.what)
        fprintf(stderr, " (%s, %s:%d in %s)", site.what, site.file, site.line, site.function);
}

void emu_die(emu_site site, const char *format, ...)
{
    fflush(stdout);
    print_kernel();
    if (emu_self)
        fprintf(stderr, "block (%u,%u) thread %u: ", emu_self->block->index.x, emu_self->block->index.y,
                emu_self->index.x);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    print_site(site);
    fprintf(stderr, "\n");
    abort();
}

static int same_wait(const emu_thread *a, const emu_thread *b)
{
    return a->ended == b->ended && a->started == b->started && a->barrier == b->barrier &&
           a->site.line == b->site.line && a->site.file == b->site.file && a->site.what == b->site.what;
}

/* Prints neighbouring threads that wait at the same place on one line. */
static int print_block(const emu_block *b)
{
    int lines = 0;
    for (int first = 0, next; first < b->count; first = next) {
        const emu_thread *t = &b->threads[first];
        for (next = first + 1; next < b->count && same_wait(t, &b->threads[next]);)
            next++;
        if (t->ended)
            continue;
        fprintf(stderr, "  block (%u,%u) rank %d threads %d to %d:", b->view.index.x, b->view.index.y, b->view.rank,
                first, next - 1);
        print_site(t->site);
        fprintf(stderr, "\n");
        lines++;
    }
    return lines;
}

void emu_die_stuck(const char *why, const emu_launch *launch, const emu_cluster *clusters, int count)
{
    fflush(stdout);
    print_kernel();
    fprintf(stderr, "%s; those that wait:\n", why);
    int lines = 0;
    for (int c = 0; c < count && lines < MOST_LINES; c++)
        for (int k = 0; k < launch->cluster && clusters[c].live > 0 && lines < MOST_LINES; k++)
            lines += print_block(&clusters[c].blocks[k]);
    abort();
}
