/* main.c - the program plumb: the list of its commands. */
#include "app/command/completion.h"
#include "cli/cli.h"

static int completion(const void *values);
static const app_command completion_command = APP_COMPLETION_COMMAND(completion);

static const app_command *const commands[] = {
    &plumb_cli_solve,
    &plumb_cli_decompose,
    &plumb_cli_member,
    &plumb_cli_sample,
    &plumb_cli_monodromy,
    &plumb_cli_certify,
    &plumb_cli_track,
    &plumb_cli_merge,
    &plumb_cli_newton,
    &plumb_cli_eval,
    &plumb_cli_system,
    &plumb_cli_lsq,
    &plumb_cli_qr,
    &plumb_cli_random,
    &plumb_cli_info,
    &plumb_cli_bench,
    &plumb_cli_demo,
    &completion_command,
    NULL,
};

static const app_heading headings[] = {
    {&plumb_cli_solve, "polynomial systems"},
    {&plumb_cli_lsq, "matrices"},
    {&plumb_cli_info, "the program itself"},
    {NULL, NULL},
};

static const app_program program = {
    .name = "plumb",
    .about = "plumb - solves polynomial systems and least squares, and tracks paths, in multiple-double precision",
    .commands = commands,
    .headings = headings,
    .after = "environment:\n"
             "  PLUMB_ISA  instruction set to use (default: the best one of this processor; see 'plumb info')\n"
             "\n"
             "exit status: 0 success; 1 the work failed or missed its goal; 2 misuse or bad input\n"
             "\n"
             "'man plumb' describes every command, and the manual is in " PLUMB_DOC_FOLDER " below the prefix of the\n"
             "installation.\n",
};

static int completion(const void *values)
{
    const app_completion_words *words = values;
    return app_completion(&program, words->file[0]);
}

int main(int argc, char **argv)
{
    return app_main(&program, argc, argv);
}
