#!/bin/sh
# The Python packages of a lock file, in /opt/venv: install_packages.sh requirements.lock
set -eu
python3 -m venv /opt/venv
# Ubuntu 20.04's pip knows no wheels of today. This is the last for Python 3.8.
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check pip==25.0.1
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check -r "$1"
