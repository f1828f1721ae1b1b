#!/bin/bash
# Slurm epilog: the report of each job in its folder, and a word in a chat when something went wrong.
#
# Name it in slurm.conf (Epilog=/etc/slurm/logsift-epilog.sh). slurmd runs it as root on each node of a job; it works on
# the first of them only, and as the job's user. Without root: the lines of `main` at the end of a batch script, or in a job
# of its own, `sbatch --dependency=afterany:JOBID`.
#
# In /etc/default/logsift, or here:
#   LOGSIFT          the command
#   LOGSIFT_LOGS     what a job leaves, below its working directory; %j is its number
#   LOGSIFT_WEBHOOK  where the word goes, a webhook of Slack; none: nowhere
#   LOGSIFT_SECONDS  how long reading may take: the node is busy meanwhile

set -u
export PATH=/usr/local/bin:/usr/bin:/bin${PATH:+:$PATH} # slurmd sets none
LOGSIFT=logsift LOGSIFT_LOGS=logs/%j LOGSIFT_WEBHOOK='' LOGSIFT_SECONDS=300
if [ -r "${LOGSIFT_DEFAULTS:=/etc/default/logsift}" ]; then
  # shellcheck source=/dev/null
  . "$LOGSIFT_DEFAULTS"
fi

as_user() {
  runuser -u "$SLURM_JOB_USER" -- timeout "$LOGSIFT_SECONDS" "$@"
}

main() {
  local run first message
  first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
  [ "$first" = "$SLURMD_NODENAME" ] || return
  run=$SLURM_JOB_WORK_DIR/${LOGSIFT_LOGS//%j/$SLURM_JOB_ID}
  as_user test -d "$run" || return

  as_user "$LOGSIFT" report "$run" -o "$run/logsift.html"
  message=$(as_user "$LOGSIFT" "$run" --format slack --fail-on critical)
  [ $? -eq 1 ] && [ -n "$LOGSIFT_WEBHOOK" ] || return # 0: nothing of weight
  curl --silent --show-error --max-time 20 --header 'Content-Type: application/json' --data-binary @- "$LOGSIFT_WEBHOOK" <<< "$message"
}

main 2>&1 | logger --tag "logsift[$SLURM_JOB_ID]"
exit 0 # another code would drain the node
