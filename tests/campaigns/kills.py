#!/usr/bin/env python3
"""kills.py - kills at random moments of every command that writes files.

    kills.py --plumb build/plumb --inject build/tests/inject --count 500

Each command is killed --count times, by SIGKILL, SIGTERM, SIGINT or SIGHUP, at a moment that is uniform over the time it takes; with
the program inject also before every system call that uses the disk. A run of plumb track is continued afterwards and must
give the same solutions.

SIGKILL between giving a new file a name beside an old one and renaming it, two adjacent system calls, leaves a complete file with a
name like .plumb-PID-K; this is counted, and no other signal may do it."""

import os
import signal
import subprocess
import time

from cases import SKIPPED, Campaign

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Tally:
    def __init__(self):
        self.killed = self.named = self.kept = 0


def judge(campaign, case, exist, what, by_kill, tally):
    named = [name for name in os.listdir(".") if name.startswith(".plumb-")] if by_kill else []
    tally.named += len(named)
    campaign.check(case, exist, what, may_remain=named)
    for name in named:
        os.unlink(name)
    if case.journal:
        tally.kept += campaign.check_continues(case, what)


def at_random(campaign, case, count, tally):
    began = time.monotonic()
    campaign.reset(case)
    campaign.run(case.command())
    takes = time.monotonic() - began
    for k in range(count):
        exist, number = k % 2 == 0, campaign.random.choice(SIGNALS)
        moment = campaign.random.uniform(0, 1.05 * takes)
        campaign.reset(case, exist)
        process = subprocess.Popen(case.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=campaign.environment)
        time.sleep(moment)
        process.send_signal(number)
        status = process.wait()
        tally.killed += status != 0
        what = "%s after %.1f ms" % (signal.Signals(number).name, 1e3 * moment)
        if status not in (0, 1, -number):
            campaign.violation("%s: %s: status %d" % (case.name, what, status))
        judge(campaign, case, exist, what, number == signal.SIGKILL, tally)


def at_every_call(campaign, case, count, tally):
    campaign.reset(case)
    if campaign.run([campaign.inject, "uses", "0", "kill"] + case.command()).returncode == SKIPPED:
        return 0
    uses = int(campaign.contents("uses"))
    chosen = list(range(1, uses + 1))
    if uses > count:
        chosen = sorted(campaign.random.sample(chosen, count))
    for n in chosen:
        exist = n % 2 == 0
        campaign.reset(case, exist)
        campaign.run([campaign.inject, "uses", str(n), "kill"] + case.command())
        os.unlink("uses")
        judge(campaign, case, exist, "killed before call %d of %d" % (n, uses), True, tally)
    return len(chosen)


def main():
    campaign = Campaign(__doc__)
    campaign.make_inputs()
    total, runs = Tally(), 0
    for case in campaign.cases():
        tally = Tally()
        at_random(campaign, case, campaign.options.count, tally)
        calls = at_every_call(campaign, case, campaign.options.count, tally) if campaign.inject else 0
        print("%-16s %d kills at random, %d of them before its end; %d before a call; %d paths were continued" % (
            case.name, campaign.options.count, tally.killed, calls, tally.kept), flush=True)
        runs += campaign.options.count + calls
        total.killed += tally.killed
        total.named += tally.named
    campaign.end("kills: %d, new files that SIGKILL left beside their place: %d" % (runs, total.named))


main()
