#!/bin/sh
# What the image needs of Ubuntu 24.04 or Debian 12: Python, a compiler for torch.compile and Triton,
# and OpenGL without a screen. Run as root.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends \
    ca-certificates \
    g++ \
    libegl1 libgl1 libosmesa6 \
    python3 python3-dev python3-venv
rm -rf /var/lib/apt/lists/*
