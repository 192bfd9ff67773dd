#!/usr/bin/env python3
"""journals.py - damaged journals: plumb track --resume, or plumb solve --resume, on each gives the solutions of an undamaged run, or
refuses and touches nothing.

    journals.py --plumb build/plumb --count 10000 [--only track|solve]

Both commands take turns. A journal of a run that was killed is damaged at random: bits, digits and bytes are changed, pieces are cut out, doubled, exchanged or
overwritten with zeros, lines come from another journal, keys are misspelt, line ends are converted, the file is cut off. A
few damages at once are as likely as one."""

import os
import time

from cases import Campaign

COMMANDS = {"track": "track f.phc -p d --threads 1 --backend cpu -q -o t.sol".split(),
            "solve": "solve cyclic.phc --start polyhedral -p d --threads 1 --backend cpu -q --no-certify -o t.sol".split()}
JOURNAL = "t.sol.journal"


def a_bit(r, data, other):
    at = r.randrange(len(data))
    data[at] ^= 1 << r.randrange(8)


def a_digit(r, data, other):
    places = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    at = r.choice(places or [0])
    data[at] = r.choice([d for d in b"0123456789" if d != data[at]])


def a_byte(r, data, other):
    data[r.randrange(len(data))] = r.randrange(256)


def a_gap(r, data, other):
    at = r.randrange(len(data))
    del data[at:at + r.choice((1, 2, 10, 300))]


def a_double(r, data, other):
    at = r.randrange(len(data))
    data[at:at] = data[at:at + r.choice((1, 10, 300))]


def zeros(r, data, other):
    at, length = r.randrange(len(data)), r.choice((1, 16, 512))
    data[at:at + length] = bytes(len(data[at:at + length]))


def the_end(r, data, other):
    del data[r.randrange(len(data)):]


def lines_exchanged(r, data, other):
    lines = bytes(data).split(b"\n")
    i, k = r.randrange(len(lines)), r.randrange(len(lines))
    lines[i], lines[k] = lines[k], lines[i]
    data[:] = b"\n".join(lines)


def line_of_another(r, data, other):
    lines = bytes(data).split(b"\n")
    lines[r.randrange(len(lines))] = r.choice(other.split(b"\n"))
    data[:] = b"\n".join(lines)


def line_removed(r, data, other):
    lines = bytes(data).split(b"\n")
    del lines[r.randrange(len(lines))]
    data[:] = b"\n".join(lines)


def a_key(r, data, other):
    old, new = r.choice(((b'"code"', b'"kode"'), (b'"x"', b'"y"'), (b'"path"', b'"Path"'), (b'"error"', b'"eror"'),
                         (b'"success"', b'"at infinity"'), (b'"--seed"', b'"--sead"')))
    data[:] = bytes(data).replace(old, new, r.choice((1, 2, -1)))


def line_ends(r, data, other):
    data[:] = bytes(data).replace(b"\n", r.choice((b"\r\n", b"\n\n", b"\r")))


KINDS = (a_bit, a_bit, a_digit, a_digit, a_digit, a_byte, a_gap, a_double, zeros, the_end, lines_exchanged, line_of_another,
         line_removed, a_key, line_ends)


def stopped_journal(campaign, words):
    """The journal of a run that was killed when more than half of its paths had ended."""
    for attempt in range(1000):
        campaign.clean()
        moment = 0.002 * (attempt % 100)
        try:
            campaign.run([campaign.plumb] + words, timeout=moment)  # kills it
        except Exception:  # it took longer, as it should
            pass
        journal = campaign.contents(JOURNAL)
        if journal and journal.count(b"\n") > 9:
            return journal
        time.sleep(0.001)
    raise SystemExit("the run could not be killed in time")


class Journals:
    """A command with the journal of a run that was killed, one of a run with another seed, and its solutions."""

    def __init__(self, campaign, words):
        self.words = [campaign.plumb] + words
        self.other = stopped_journal(campaign, words + ["--seed", "2"])
        self.good = stopped_journal(campaign, words)
        campaign.clean()
        if campaign.run(self.words).returncode != 0:
            raise SystemExit("the undamaged run failed")
        self.fresh = campaign.contents("t.sol")


def try_one(campaign, journals, number, counts):
    r = campaign.random
    campaign.clean()
    data, names = bytearray(journals.good), [journals.words[1]]
    for _ in range(r.choice((1, 1, 1, 2, 3, 8))):
        if data:
            kind = r.choice(KINDS)
            names.append(kind.__name__)
            kind(r, data, journals.other)
    what = "journal %d (%s)" % (number, ", ".join(names))
    with open(JOURNAL, "wb") as file:
        file.write(data)
    with open("t.sol", "wb") as file:
        file.write(b"old")
    resume = r.random() < 0.9
    done = campaign.run(journals.words + (["--resume"] if resume else []))
    told = done.stderr.count(b"\n")
    if done.returncode == 0:
        counts["told" if told else "continued" if resume else "began again"] += 1
        if campaign.contents("t.sol") != journals.fresh:
            campaign.violation("%s: other solutions with status 0" % what)
        if os.path.exists(JOURNAL):
            campaign.violation("%s: the journal is left behind" % what)
        if told and b"damaged line" not in done.stderr:
            campaign.violation("%s: %s" % (what, done.stderr.decode(errors="replace")))
    elif done.returncode == 2 and told == 1:
        counts["refused"] += 1
        if campaign.contents(JOURNAL) != bytes(data) or campaign.contents("t.sol") != b"old":
            campaign.violation("%s: refused, and something was changed" % what)
    else:
        campaign.violation("%s: status %d: %s" % (what, done.returncode, done.stderr.decode(errors="replace")))
    left = set(os.listdir(".")) - campaign.inputs - {JOURNAL, "t.sol"}
    if left:
        campaign.violation("%s: left behind: %s" % (what, left))


def main():
    campaign = Campaign(__doc__)
    campaign.make_inputs()
    chosen = [Journals(campaign, words) for name, words in COMMANDS.items() if campaign.options.only in (None, name)]
    counts = {"continued": 0, "told": 0, "refused": 0, "began again": 0}
    for k in range(campaign.options.count):
        try_one(campaign, chosen[k % len(chosen)], k, counts)
    campaign.end("journals: %d damaged; %s" % (campaign.options.count,
                                               ", ".join("%s: %d" % pair for pair in sorted(counts.items()))))


main()
