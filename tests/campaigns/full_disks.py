#!/usr/bin/env python3
"""full_disks.py - full disks at every use of the disk of every command that writes files.

    full_disks.py --plumb build/plumb --inject build/tests/inject --count 100000

Each command runs once for every system call that uses the disk: this call and all later ones fail for lack of space. Then once for
each of several limits of the size of files, which works without the program inject as well. --count is the most runs of each
kind for a command; if there are more calls, a random choice of them is taken."""

import os
import resource

from cases import SKIPPED, Campaign


def judge(campaign, case, exist, what, done):
    """One line of explanation and status 1, or all is well; nothing is lost in any case."""
    new = campaign.check(case, exist, what)
    lines = done.stderr.decode(errors="replace").splitlines()
    if done.returncode == 0 and not new:
        campaign.violation("%s: %s: status 0, and not all outputs are new" % (case.name, what))
    elif done.returncode not in (0, 1):
        campaign.violation("%s: %s: status %d: %s" % (case.name, what, done.returncode, lines))
    elif done.returncode == 1 and len(lines) != 1:
        campaign.violation("%s: %s: %d lines of explanation: %s" % (case.name, what, len(lines), lines))
    if case.journal and done.returncode != 0:
        campaign.check_continues(case, what)
    return done.returncode != 0


def at_every_call(campaign, case, count):
    failures = runs = 0
    campaign.reset(case)
    done = campaign.run([campaign.inject, "uses", "0", "full"] + case.command())
    if done.returncode == SKIPPED:
        return None
    uses = int(campaign.contents("uses"))
    os.unlink("uses")
    chosen = list(range(1, uses + 1))
    if uses > count:
        chosen = sorted(campaign.random.sample(chosen, count))
    for n in chosen:
        exist = n % 2 == 0
        campaign.reset(case, exist)
        done = campaign.run([campaign.inject, "uses", str(n), "full"] + case.command())
        os.unlink("uses")
        failures += judge(campaign, case, exist, "call %d of %d" % (n, uses), done)
        runs += 1
    return runs, failures


def at_every_size(campaign, case, count):
    """Files may have so many bytes and no more."""
    failures = 0
    largest = max(len(content) for content in case.fresh.values()) + 1
    if case.journal:
        largest *= 2
    sizes = sorted({round(k * largest / count) for k in range(count)})
    for size in sizes:
        campaign.reset(case)
        done = campaign.run(case.command(),
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY)))
        failures += judge(campaign, case, True, "at most %d bytes" % size, done)
    return len(sizes), failures


def main():
    campaign = Campaign(__doc__)
    campaign.make_inputs()
    count, runs, failures = campaign.options.count, 0, 0
    for case in campaign.cases():
        rows = [at_every_size(campaign, case, min(count, 64))]
        if campaign.inject:
            rows.append(at_every_call(campaign, case, count))
        print("%-16s %s" % (case.name, ", ".join("%d runs, %d failed" % row if row else "calls are not allowed to fail here"
                                                 for row in rows)), flush=True)
        runs += sum(row[0] for row in rows if row)
        failures += sum(row[1] for row in rows if row)
    campaign.end("full disks: %d runs, of which %d failed as they should" % (runs, failures))


main()
