#!/bin/sh
# NVIDIA's tasks and their training, as they were left. The packages they need are in
# requirements.lock.
set -eu
commit=aeed298638a1f7b5421b38f5f3cc2d1079b6d9c3
git init --quiet /opt/IsaacGymEnvs
cd /opt/IsaacGymEnvs
git fetch --quiet --depth 1 https://github.com/isaac-sim/IsaacGymEnvs "$commit"
git checkout --quiet FETCH_HEAD
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --no-deps --no-build-isolation -e /opt/IsaacGymEnvs
