/* script.c - see script.h. */
#include "bench/common/script.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app.h"

extern char **environ;

enum { PATH_ROOM = 4096, MOST_ARGUMENTS = 512 };

/* The folder of the script, or false. */
static bool find_script(char *path, size_t size)
{
    static const char *const places[] = {"report", "../" PLUMB_DATA_FOLDER "/report"};
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    for (size_t k = 0; slash != NULL && k < sizeof places / sizeof places[0]; k++) {
        char main_file[PATH_ROOM + 16];
        const size_t room = size - (size_t)(slash + 1 - path);
        if ((size_t)snprintf(slash + 1, room, "%s", places[k]) >= room)
            return false;
        snprintf(main_file, sizeof main_file, "%s/__main__.py", path);
        if (access(main_file, R_OK) == 0)
            return true;
    }
    return false;
}

static int no_python(const char *command)
{
    return app_fail(command,
                    "python3 was not found, which draws tables and pages; results as JSON can be drawn elsewhere");
}

static int start(const char *command, char *const *words, FILE *input)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = 0;
    if (input != NULL && lseek(fileno(input), 0, SEEK_SET) != 0)
        return app_fail(command, "the results could not be read again: %s", strerror(errno));
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        if (input != NULL)
            posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
        failure = posix_spawnp(&process, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (failure == ENOENT)
        return no_python(command);
    if (failure != 0)
        return app_fail(command, "python3 could not be started: %s", strerror(failure));
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return app_fail(command, "python3 was lost: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) /* how older systems report a missing program */
        return no_python(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : app_fail(command, "python3 was ended by a signal");
}

/* The command line; path is a part of it. */
static int make_words(const char *command, const char *const *arguments, char path[PATH_ROOM],
                      char *words[MOST_ARGUMENTS + 4])
{
    static char python[] = "python3", no_bytecode[] = "-B";
    int count = 0;
    words[count++] = python;
    words[count++] = no_bytecode;
    words[count++] = path;
    if (!find_script(path, PATH_ROOM))
        return app_fail(command, "the folder report is neither beside plumb-bench nor in ../" PLUMB_DATA_FOLDER
                                 ": 'make' and 'make install' put it there");
    for (; *arguments != NULL; arguments++) {
        if (count == MOST_ARGUMENTS + 3)
            return app_misuse(command, "more than %d arguments", MOST_ARGUMENTS);
        words[count++] = (char *)*arguments; /* neither posix_spawn nor exec changes them */
    }
    words[count] = NULL;
    fflush(stdout);
    return APP_OK;
}

int bench_script_run(const char *command, const char *const *arguments, FILE *input)
{
    char path[PATH_ROOM], *words[MOST_ARGUMENTS + 4];
    const int result = make_words(command, arguments, path, words);
    return result == APP_OK ? start(command, words, input) : result;
}

int bench_script_become(const char *command, const char *const *arguments)
{
    char path[PATH_ROOM], *words[MOST_ARGUMENTS + 4];
    const int result = make_words(command, arguments, path, words);
    if (result != APP_OK)
        return result;
    execvp(words[0], words);
    return errno == ENOENT ? no_python(command)
                           : app_fail(command, "python3 could not be started: %s", strerror(errno));
}
