#!/bin/bash
# Slurm array: a run too large for one node, read in shares by an array and judged by one task behind it.
#
#   ./slurm-array.sh RUN PARTS [options of sbatch]
#
# RUN and PARTS are on a file system that all nodes have. A task that died may be sent again by itself,
# `sbatch --array=7-7 ... slurm-array.sh map RUN PARTS 64`: shares that are there already are left alone. What is still
# missing when the last task comes is told in the verdict.
#
#   SHARDS   how many shares: about one for each 50 GB (default: 64)
#   LOGSIFT  the command

set -eu
: "${LOGSIFT:=logsift}" "${SHARDS:=64}"

case $1 in
  map)
    exec "$LOGSIFT" map "$2" --shard "$SLURM_ARRAY_TASK_ID/$4" -o "$3"
    ;;
  reduce)
    exec "$LOGSIFT" reduce "$2"
    ;;
  *)
    run=$1 parts=$2
    shift 2
    job=$(sbatch --parsable --job-name=logsift-map --array="1-$SHARDS" "$@" "$0" map "$run" "$parts" "$SHARDS")
    sbatch --job-name=logsift --dependency="afterany:${job%%;*}" "$@" "$0" reduce "$parts"
    ;;
esac
