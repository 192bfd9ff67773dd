/* cli.h - the commands of the program plumb, each a table (app/command/command.h). */
#ifndef PLUMB_CLI_H
#define PLUMB_CLI_H

#include "app/command/command.h"

extern const app_command plumb_cli_lsq, plumb_cli_qr, plumb_cli_random, plumb_cli_system, plumb_cli_eval,
    plumb_cli_newton, plumb_cli_solve, plumb_cli_track, plumb_cli_certify, plumb_cli_merge, plumb_cli_info,
    plumb_cli_bench, plumb_cli_demo, plumb_cli_decompose, plumb_cli_monodromy, plumb_cli_member, plumb_cli_sample;

#endif
