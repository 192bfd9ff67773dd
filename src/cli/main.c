/* main.c - the program plumb: the list of its commands. */
#include "cli/cli.h"

static const app_command *const commands[] = {
    &plumb_cli_lsq,   &plumb_cli_qr,   &plumb_cli_random, &plumb_cli_system, &plumb_cli_eval,       &plumb_cli_newton,
    &plumb_cli_track, &plumb_cli_info, &plumb_cli_bench,  &plumb_cli_demo,   &plumb_cli_completion, NULL,
};

const app_program plumb_cli_program = {
    .name = "plumb",
    .about = "plumb - least squares, Newton's method and path tracking in multiple-double precision",
    .commands = commands,
    .after =
        "environment:\n"
        "  PLUMB_ISA  instruction set to use (default: the best this processor has; see 'plumb info')\n"
        "\n"
        "exit status: 0 success; 1 the work failed or missed its goal; 2 misuse or bad input\n"
        "\n"
        "'man plumb' describes every command; files.md and json.md in " PLUMB_DOC_FOLDER " (below the prefix of the\n"
        "installation) describe the formats.\n",
};

int main(int argc, char **argv)
{
    return app_main(&plumb_cli_program, argc, argv);
}
