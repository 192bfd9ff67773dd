/* gnuplot.h - runs gnuplot: commands and data go in, one picture comes out.
 *
 * gnuplot is started without a shell and without the settings of the user. It writes the picture to a temporary file of
 * ours, so no name of a file ever reaches it, and the picture is known to be complete before it is copied anywhere. */
#ifndef PLUMB_CLI_TRACK_GNUPLOT_H
#define PLUMB_CLI_TRACK_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct gnuplot {
    FILE *in;      /* takes commands; NULL when gnuplot could not be started */
    FILE *picture; /* what it writes */
    pid_t process;
    void (*old)(int); /* what SIGPIPE did before */
} gnuplot;

/* Is gnuplot installed? */
bool gnuplot_exists(void);

/* Starts gnuplot. Returns false, with errno set, when that is not possible. */
bool gnuplot_begin(gnuplot *g);

/* Ends the commands, waits for gnuplot and copies the SVG to out. Returns false when gnuplot failed, when the picture is
 * incomplete or when out cannot be written. To be called after every gnuplot_begin; out may be NULL, for no picture. */
bool gnuplot_end(gnuplot *g, FILE *out);

#endif
