#!/bin/sh
# What the image runs: train.py with the words that follow; `play ...` is play.py, and the name of a
# program (torchrun, python, bash) that program.
set -eu
cd /workspace
case "${1-}" in
    python | bash) exec "$@" ;;
esac
if [ ! -w runs ]; then
    cat >&2 <<END
error: user $(id -u) may not write to /workspace/runs. Make the folder before docker does, which
makes it as root, and train as yourself:
    mkdir -p runs
    docker run --user "\$(id -u):\$(id -g)" -v "\$PWD/runs:/workspace/runs" ... rofunc-isaac $*
END
    exit 2
fi
case "${1-}" in
    torchrun) exec "$@" ;;
    play) shift; exec python play.py "$@" ;;
    *) exec python train.py "$@" ;;
esac
