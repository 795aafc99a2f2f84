#!/bin/sh
# NVIDIA's package, from the file that its site gives: install_isaacgym.sh TARBALL
set -eu
tarball=$1
if [ ! -f "$tarball" ]; then
    cat >&2 <<END
error: there is no $(basename "$tarball") in the folder that docker build was given. NVIDIA gives it
to those who accept its licence (https://developer.nvidia.com/isaac-gym); put the file there
under this name, and build again.
END
    exit 2
fi
if ! tar -tzf "$tarball" isaacgym/python/setup.py >/dev/null 2>&1; then
    echo "error: $(basename "$tarball") has no isaacgym/python/setup.py: is it Isaac Gym's package," \
        "as NVIDIA's site gives it?" >&2
    exit 2
fi
tar -xzf "$tarball" -C /opt --no-same-owner
# What its setup.py asks for is in requirements.lock, in versions that go together.
/opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --no-deps --no-build-isolation -e /opt/isaacgym/python
