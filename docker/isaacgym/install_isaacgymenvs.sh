#!/bin/sh
# NVIDIA's tasks and their training, as they were left. Its packages are in
# requirements.lock.
set -eu
commit=aeed298638a1f7b5421b38f5f3cc2d1079b6d9c3
git clone --quiet https://github.com/isaac-sim/IsaacGymEnvs /opt/IsaacGymEnvs
git -C /opt/IsaacGymEnvs checkout --quiet "$commit"
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --no-deps --no-build-isolation -e /opt/IsaacGymEnvs
