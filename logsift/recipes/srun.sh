#!/bin/bash
# srun: the same within an allocation: every task reads a share, the first node judges.
#
#   salloc --nodes=16 --ntasks-per-node=4 ./srun.sh RUN PARTS
#
# RUN and PARTS are on a file system that all nodes have. Run it again after a node died: shares that are there are left
# alone.

set -eu
export RUN=$1 PARTS=$2 LOGSIFT=${LOGSIFT:-logsift}

# shellcheck disable=SC2016 # each task has its own numbers
srun --kill-on-bad-exit=0 bash -c '"$LOGSIFT" map "$RUN" --shard "$((SLURM_PROCID + 1))/$SLURM_NTASKS" -o "$PARTS"' || true
exec "$LOGSIFT" reduce "$PARTS" # what is missing is told
