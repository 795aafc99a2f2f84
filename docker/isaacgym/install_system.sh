#!/bin/sh
# What Isaac Gym needs of Ubuntu 20.04: Python 3.8 with its shared library, a compiler for gymtorch,
# which is built when it is first imported, and for pysdf, Vulkan and OpenGL. Run as root.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends \
    ca-certificates \
    g++ libeigen3-dev \
    git \
    libegl1 libgl1 libglu1-mesa libvulkan1 libx11-6 libxcursor1 libxi6 libxinerama1 libxrandr2 \
    libpython3.8 python3.8 python3.8-dev python3.8-venv python3-venv
rm -rf /var/lib/apt/lists/*
