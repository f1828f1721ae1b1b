#!/bin/bash
# torchrun: everything a job can leave in one folder, and the verdict when it ends; the arguments are the script's.
#
# Start it on every node. What each line is for:
#   --log-dir, --redirects, --tee  stdout and stderr of every rank in a file of its own, and on the screen
#   @record                        around main() of the script, from torch.distributed.elastic.multiprocessing.errors:
#                                  torchrun names a file to each rank in TORCHELASTIC_ERROR_FILE, and the exception goes
#                                  into it (error.json in the log folder) before the others' ends bury it
#   TORCH_NCCL_*                   a Flight Recorder dump of every rank when a collective times out
#   NCCL_DEBUG*                    what NCCL says, in a file for each process

set -u
run=${RUN_DIR:-logs/$(date +%Y%m%d-%H%M%S)}
mkdir -p "$run"
run=$(cd "$run" && pwd)
host=$(hostname -s)

export TORCH_NCCL_TRACE_BUFFER_SIZE=20000 TORCH_NCCL_DUMP_ON_TIMEOUT=1
export TORCH_NCCL_DEBUG_INFO_TEMP_FILE=$run/flight_recorder_
export NCCL_DEBUG=WARN NCCL_DEBUG_FILE=$run/nccl.%h.%p.log

torchrun \
  --nnodes="${NNODES:-1}" --nproc-per-node="${GPUS:-gpu}" \
  --rdzv-backend=c10d --rdzv-id="${RUN_ID:-0}" --rdzv-endpoint="${HEAD_NODE:-localhost}:29400" \
  --log-dir "$run/ranks.$host" --redirects 3 --tee 3 \
  "$@" 2>&1 | tee "$run/torchrun.$host.log"
code=${PIPESTATUS[0]}

if [ "$code" -ne 0 ] && [ "${NODE_RANK:-0}" -eq 0 ]; then
  sleep "${LOGSIFT_WAIT:-30}" # the other nodes end a little later
  logsift "$run" >&2
  logsift report "$run" -o "$run/logsift.html"
fi
exit "$code"
