/* main.c - the program plumb: finds the subcommand in a table and calls it. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "cli/cli.h"

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommand;

static const subcommand subcommands[] = {
    {"lsq", plumb_cli_lsq, "solve A x = b in the least-squares sense"},
    {"qr", plumb_cli_qr, "decompose A = Q R"},
    {"random", plumb_cli_random, "make a random matrix"},
    {"system", plumb_cli_system, "show, make and convert polynomial systems"},
    {"eval", plumb_cli_eval, "evaluate a polynomial system at a point, with its Jacobian"},
    {"newton", plumb_cli_newton, "refine solutions of a polynomial system by Newton's method"},
    {"track", plumb_cli_track, "follow solutions of one system to those of another"},
    {"info", plumb_cli_info, "version, precisions, instruction sets, threads and GPUs"},
    {"bench", plumb_cli_bench, "time the arithmetic, next to other libraries"},
    {"demo", plumb_cli_demo, "see what the arithmetic does"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static const subcommand *find(const char *name)
{
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
    return NULL;
}

static int help(void)
{
    printf("plumb %s - least squares, Newton's method and path tracking in multiple-double precision\n"
           "\n"
           "usage: plumb COMMAND [OPTIONS]\n"
           "\n"
           "commands:\n",
           plumb_version());
    for (int i = 0; i < SUBCOMMANDS; i++)
        printf("  %-8s %s\n", subcommands[i].name, subcommands[i].summary);
    printf("  %-8s %s\n", "help", "this text, or 'help COMMAND': that of a command");
    printf("\n"
           "options:\n"
           "  --help     this text\n"
           "  --version  the version\n"
           "\n"
           "environment:\n"
           "  PLUMB_ISA  instruction set to use (default: the best this processor has; see 'plumb info')\n"
           "\n"
           "exit status: 0 success, 1 the work failed, 2 misuse or bad input\n");
    return CLI_OK;
}

static int help_about(const char *name)
{
    const subcommand *command = find(name);
    if (!command)
        return cli_misuse(NULL, "there is no command '%s'; 'plumb --help' lists them", name);
    char command_name[32], option[] = "--help";
    snprintf(command_name, sizeof command_name, "%s", command->name);
    char *arguments[] = {command_name, option, NULL};
    return command->run(2, arguments);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return cli_misuse(NULL, "no command given; 'plumb --help' lists them");
    if (cli_is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        if (argc > 3 || (argc == 3 && cli_is_help(argv[1])))
            return cli_misuse(NULL, "unexpected argument '%s' after %s", argv[argc - 1], argv[1]);
        return argc == 3 ? help_about(argv[2]) : help();
    }
    if (strcmp(argv[1], "--version") == 0) {
        if (argc > 2)
            return cli_misuse(NULL, "unexpected argument '%s' after %s", argv[2], argv[1]);
        printf("plumb %s\n", plumb_version());
        return CLI_OK;
    }
    const subcommand *command = find(argv[1]);
    if (!command)
        return cli_misuse(NULL, "there is no %s '%s'; 'plumb --help' lists them",
                          argv[1][0] == '-' ? "option" : "command", argv[1]);
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int result = dispatch(argc, argv);
    /* A full disk or a closed pipe is found out here at the latest. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == CLI_OK)
        result = cli_fail(NULL, "standard output could not be written");
    return result;
}
