from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

from rich.console import Console

from rofunc_isaac.tracking.terminal import Terminal

METRICS = {
    "iteration": 1,
    "train/return_mean": None,
    "train/kl_mean": 0.0081,
    "train/lr": 3e-4,
    "perf/env_steps_per_s": 31234.5,
}


def at(iteration):
    return {**METRICS, "iteration": iteration, "train/return_mean": 10.0 * iteration}


def test_plain_lines_where_there_is_no_terminal():
    out = io.StringIO()
    terminal = Terminal("Ant", 500, interval_s=3600, console=Console(file=out))
    terminal.log(METRICS, [])
    for iteration in range(2, 100):
        terminal.log(at(iteration), [])
    terminal.close("finished")
    first, last = out.getvalue().splitlines()
    assert first.startswith("Ant 1/500  return -  KL 0.0081  LR 3.00e-04  31,234 steps/s  0:00:")
    assert last.startswith("Ant 99/500  return 990.0")
    assert "\x1b" not in out.getvalue()


def test_the_last_line_is_not_printed_twice():
    out = io.StringIO()
    terminal = Terminal("Ant", 2, interval_s=0, console=Console(file=out))
    terminal.log(at(1), [])
    terminal.log(at(2), [])
    terminal.close("finished")
    assert len(out.getvalue().splitlines()) == 2
    assert "left" not in out.getvalue().splitlines()[1]


def test_minibatches_that_were_left_out_are_told_once():
    out = io.StringIO()
    terminal = Terminal("Ant", 500, interval_s=0, console=Console(file=out))
    terminal.log({**at(1), "train/skipped_updates": 0.0}, [])
    bad = {"train/skipped_updates": 8.0, "train/reward_mean": float("nan")}
    for iteration in (2, 3):
        terminal.log({**at(iteration), **bad}, [])
    lines = out.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["Ant", "warning:", "Ant", "Ant"]
    assert "iteration 2 left out 8 minibatches" in lines[1]
    assert "mean reward nan" in lines[1]


def test_time_left_counts_this_session_only(monkeypatch):
    out = io.StringIO()
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    terminal = Terminal("Ant", 500, start_iteration=400, console=Console(file=out))
    now[0] += 20.0
    terminal.log(at(410), [])
    assert out.getvalue().endswith("  0:03:00 left\n")


def on_a_terminal(code, **variables):
    """What a program writes to a terminal of 120 columns."""
    leader, follower = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLUMNS": "120"}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**environment, **variables},
    )
    os.close(follower)
    written = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # Linux: the last process has closed its end
            break
        if not part:
            break
        written += part
    os.close(leader)
    process.wait()
    return written.decode()


PROGRAM = f"""
from rofunc_isaac.tracking.terminal import Terminal
from rofunc_isaac.tracking.tracker import Trackers
with Trackers([Terminal("Ant", 10)]) as trackers:
    for iteration in range(1, 6):
        trackers.log({{**{METRICS!r}, "iteration": iteration}}, [])
    print("a line between")
    raise RuntimeError("the training broke")
"""


def test_an_exception_leaves_the_terminal_clean():
    written = on_a_terminal(PROGRAM)
    assert "5/10" in written
    assert "KL 0.0081" in written
    assert "a line between" in written
    shown, hidden = written.rfind("\x1b[?25h"), written.rfind("\x1b[?25l")
    assert -1 < hidden < shown < written.index("RuntimeError: the training broke")


def test_no_color_and_dumb_terminals():
    assert "\x1b[1;3" not in on_a_terminal(PROGRAM, NO_COLOR="1")
    dumb = on_a_terminal(PROGRAM, TERM="dumb")
    assert "Ant 1/10" in dumb
    assert "Ant 5/10" in dumb
    # No escape codes until Python's own traceback, which may colour itself.
    assert "\x1b" not in dumb[: dumb.index("Traceback")]
