"""The first signal is noted, the second ends the process: in real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from rofunc_isaac.cli.interrupts import StopRequest

PROGRAM = """
    import sys, time
    from rofunc_isaac.cli.interrupts import StopRequest
    with StopRequest(patient="patient" in sys.argv) as stop:
        print("ready", flush=True)
        while stop.signum is None:
            time.sleep(0.01)
        print("noted", int(stop.signum), flush=True)
        if "patient" in sys.argv:
            time.sleep(1)
        if "hang" in sys.argv:
            time.sleep(60)
    print("left in good order", flush=True)
"""


def start(*words):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_the_process_go_on(signum):
    process = start()
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    assert out == f"noted {int(signum)}\nleft in good order\n"
    assert process.returncode == 0
    assert err == (
        "\nStopping: this iteration is finished and a checkpoint written; "
        "once more leaves at once.\n"
    )


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_it_at_once(second):
    process = start("hang")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "noted 2\n"
    process.send_signal(second)
    out, err = process.communicate(timeout=30)
    assert out == ""
    assert process.returncode == 128 + second
    assert err.endswith("Left at once.\n")


def test_a_patient_process_hears_a_signal_twice_and_stops_once():
    process = start("patient")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "noted 15\n"
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert out == "left in good order\n"
    assert process.returncode == 0
    assert err.count("Stopping") == 1


def test_afterwards_signals_mean_what_they_meant_before():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with StopRequest():
        assert signal.getsignal(signal.SIGINT) not in before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_in_another_thread_nothing_is_changed():
    seen = []

    def work():
        with StopRequest() as stop:
            seen.append(stop.signum)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [None]
