from __future__ import annotations

import pytest

from rofunc_isaac.tracking.tracker import Trackers


class Recorder:
    def __init__(self, fails=False):
        self.fails = fails
        self.logged = []
        self.status = None

    def log(self, metrics, updates):
        self.logged.append((metrics, updates))

    def close(self, status):
        self.status = status
        if self.fails:
            raise OSError("disk full")


def test_every_tracker_gets_every_iteration():
    recorders = [Recorder(), Recorder()]
    with Trackers(recorders) as trackers:
        trackers.log({"iteration": 1}, [(0.1, 0.2)])
    for recorder in recorders:
        assert recorder.logged == [({"iteration": 1}, [(0.1, 0.2)])]
        assert recorder.status == "finished"


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt, "interrupted"), (RuntimeError, "failed")]
)
def test_the_status_says_how_the_block_was_left(error, status):
    recorder = Recorder()
    with pytest.raises(error), Trackers([recorder]):
        raise error
    assert recorder.status == status


def test_one_that_fails_to_close_does_not_keep_the_others_open():
    recorders = [Recorder(fails=True), Recorder()]
    with pytest.raises(OSError, match="disk full"):
        Trackers(recorders).close("finished")
    assert [recorder.status for recorder in recorders] == ["finished", "finished"]
