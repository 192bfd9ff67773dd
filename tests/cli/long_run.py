#!/usr/bin/env python3
"""long_run.py PLUMB - a run that will be long says so on a terminal after its first seconds, with the number of paths, the time and how to
stop it; stopped, it says how to go on; and none of this is written into a pipe."""

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile

plumb = sys.argv[1]
unknowns = 16  # 2^16 paths, and minutes
equations = [f"x{i}^2 + x{i}*x{(i + 1) % unknowns} + {i + 2}*x{(i + 3) % unknowns} - {2 * i + 1}" for i in range(unknowns)]
arguments = ["solve", "--start", "total", "--threads", "1", "--backend", "cpu", "-p", "dd", "--no-certify"]
for equation in equations:
    arguments += ["-e", equation]


def on_terminal(more, expected):
    """What the program writes to a terminal until the expected words, and after Ctrl-C."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(plumb, [plumb] + arguments + more)
    text = ""
    stopped = False
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the end, for a terminal of Linux
            break
        if not piece:
            break
        text += piece.decode(errors="replace")
        if not stopped and expected in text:
            stopped = True
            os.kill(child, signal.SIGINT)
    os.waitpid(child, 0)
    os.close(terminal)
    if not stopped:
        sys.exit(f"long_run: expected {expected!r}, found {text!r}")
    if not re.search(r"65,536 paths, about \d+(\.\d)? (s|min|h); Ctrl-C stops", text):
        sys.exit(f"long_run: no count and time in {text!r}")
    if "--resume" not in text.split(expected)[-1]:
        sys.exit(f"long_run: the stopped run does not name --resume: {text!r}")


with tempfile.TemporaryDirectory() as folder:
    on_terminal(["-o", os.path.join(folder, "out.json")], "--resume goes on")
on_terminal([], "a run with -o FILE can be resumed")
piped = subprocess.Popen([plumb] + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
try:
    piped.wait(5)
except subprocess.TimeoutExpired:
    piped.send_signal(signal.SIGINT)
text = piped.communicate()[0]
if "about" in text.split("paths =")[0] or "\r" in text:
    sys.exit(f"long_run: progress in a pipe: {text!r}")
print("ok")
