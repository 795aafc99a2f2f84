#!/bin/sh
# The project itself, from /workspace, and the folders that a training writes. Run as root.
set -eu
cd /workspace
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --no-deps --no-build-isolation -e .
# The user that trains can't write here.
/opt/venv/bin/python -m compileall -q rofunc_isaac tasks cfg train.py play.py
# Any user's, as /tmp is.
mkdir -p runs "$HOME"
chmod 1777 runs "$HOME"
