/* gnuplot.c - draws a path log: gnuplot gets commands and data (plot.c) and returns a picture.
 *
 * gnuplot is started without a shell and without the settings of the user. It writes the picture to a temporary file of
 * ours, so no name of a file ever reaches it, and the picture is known to be complete before it is copied anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "app/plot/plot.h"
#include "solver/run/run.h"

extern char **environ;

typedef struct gnuplot {
    FILE *in;      /* takes commands */
    FILE *picture; /* what it writes */
    pid_t process;
    void (*old)(int); /* what SIGPIPE did before */
} gnuplot;

static bool is_installed(void)
{
    const char *folders = getenv("PATH");
    char path[4096];
    for (const char *s = folders != NULL ? folders : ""; *s != 0;) {
        size_t length = strcspn(s, ":");
        int used = snprintf(path, sizeof path, "%.*s/gnuplot", (int)length, s);
        if (used > 0 && (size_t)used < sizeof path && access(path, X_OK) == 0)
            return true;
        s += length + (s[length] == ':');
    }
    return false;
}

/* Starts the program with those files as its standard input and output. Returns 0 or an error number. */
static int start(pid_t *process, int in, int out)
{
    static char name[] = "gnuplot", defaults[] = "-d"; /* no settings of the user or the computer */
    char *const words[] = {name, defaults, NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (failure == 0)
        failure = posix_spawnp(process, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static bool gnuplot_end(gnuplot *g, FILE *out);

/* Starts gnuplot. Returns false, with errno set, when that is not possible. */
static bool gnuplot_begin(gnuplot *g)
{
    int ends[2] = {-1, -1}, failure = 0;
    *g = (gnuplot){.picture = app_unnamed_file()};
    if (g->picture == NULL || pipe(ends) != 0)
        failure = errno;
    if (failure == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0)
        failure = errno;
    if (failure == 0)
        failure = start(&g->process, ends[0], fileno(g->picture));
    if (ends[0] >= 0)
        close(ends[0]);
    const bool started = failure == 0;
    if (started && (g->in = fdopen(ends[1], "w")) == NULL)
        failure = errno;
    if (started)
        g->old = signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is detected by its status */
    if (ends[1] >= 0 && g->in == NULL)
        close(ends[1]);
    if (started && failure != 0)
        (void)gnuplot_end(g, NULL);
    else if (failure != 0 && g->picture != NULL)
        fclose(g->picture);
    errno = failure;
    return failure == 0;
}

/* Does the picture end as an SVG does? A full disk cuts it off, and gnuplot does not notice. */
static bool is_complete(FILE *picture)
{
    static const char end[] = "</svg>";
    char tail[32];
    if (fseek(picture, -(long)sizeof tail + 1, SEEK_END) != 0)
        return false;
    const size_t length = fread(tail, 1, sizeof tail - 1, picture);
    tail[length] = 0;
    return strstr(tail, end) != NULL && fseek(picture, 0, SEEK_SET) == 0;
}

static bool copy(FILE *from, FILE *to)
{
    char bytes[1 << 14];
    for (size_t length; (length = fread(bytes, 1, sizeof bytes, from)) > 0;)
        if (fwrite(bytes, 1, length, to) != length)
            return false;
    return !ferror(from) && fflush(to) == 0;
}

/* Ends the commands, waits for gnuplot and copies the SVG to out (or NULL). Returns false when gnuplot failed, when the
 * picture is incomplete or when out cannot be written. */
static bool gnuplot_end(gnuplot *g, FILE *out)
{
    int status = 0;
    bool good = g->in != NULL && !ferror(g->in);
    if (g->in != NULL)
        good &= fclose(g->in) == 0;
    while (waitpid(g->process, &status, 0) < 0)
        if (errno != EINTR) {
            good = false;
            break;
        }
    signal(SIGPIPE, g->old);
    errno = 0;
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0 && out != NULL && is_complete(g->picture) &&
           copy(g->picture, out);
    const int reason = errno;
    fclose(g->picture);
    *g = (gnuplot){.in = NULL};
    errno = reason;
    return good;
}

/* ---- The option --plot -------------------------------------------------------------------------------------------- */

int app_plot_check(const char *command)
{
    return is_installed() ? APP_OK : app_fail(command, "--plot needs gnuplot, which is not installed");
}

int app_plot(const char *command, const char *log, const char *svg)
{
    app_plot_data data;
    app_output output = {.path = NULL};
    int result = app_plot_check(command);
    if (result != APP_OK)
        return result;
    FILE *file = fopen(log, "rb");
    if (file == NULL)
        return app_misuse(command, "%s could not be read: %s", log, strerror(errno));
    result = app_plot_data_read(command, file, log, &data);
    fclose(file);
    if (result == APP_OK && data.unknowns == 0)
        result = app_misuse(command, "%s has no steps to draw", log);
    if (result == APP_OK)
        result = app_output_open(command, &output, svg);
    if (result == APP_OK) {
        gnuplot g;
        bool good = gnuplot_begin(&g);
        if (good)
            good = gnuplot_end(&g, app_plot_draw(g.in, &data) ? output.file : NULL);
        result = good ? app_output_commit(command, &output)
                      : app_fail(command, "gnuplot could not draw %s%s%s", svg, errno != 0 ? ": " : "",
                                 errno != 0 ? strerror(errno) : "");
    }
    app_output_discard(&output);
    app_plot_data_clear(&data);
    return result;
}

static bool is_empty(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size == 0;
}

int app_plot_run(const char *command, const char *log, const char *svg, bool stopped)
{
    return stopped && is_empty(log) ? APP_OK : app_plot(command, log, svg);
}
