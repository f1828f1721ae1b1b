/*
title = "A node of the job went down"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network", "host.preempted", "crash", "loss.rollback"]
transient = true
about = """
The scheduler lost contact with a node, or reports that it failed. The ranks on it are gone; all
others wait for them or are killed.
"""
false_positives = """
The node was rebooted or drained on purpose; only the scheduler's daemon on it was down.
"""
references = ["https://slurm.schedmd.com/troubleshoot.html#nodes"]

[[summary]]
when = "told"
say = '''
{% if hosts %}{{ hosts | names('node') | capital }}{% else %}A node{% endif %} went down or
cannot be reached, as the log tells: {{ told | cut(200) }}
'''

[[summary]]
when = "scheduler == 'mpirun'"
say = '''
mpirun lost its daemon on {{ hosts | names('node') }}: the
{{ hosts | agree('node went down, its pod', 'nodes went down, their pods') }} or daemon was killed,
or the network failed
'''

[[summary]]
when = "out_because == 'stuck'"
say = '''
Processes could not be ended on {{ hosts | names('node') }}: they wait in the kernel, and Slurm
drains {{ hosts | agree('it', 'them') }}
'''

[[summary]]
when = "out_because == 'credential' and hosts"
say = '''
{{ hosts | names('node') | capital }} did not take Slurm's credential for
{% if job %}job {{ job }}{% else %}the job{% endif %} ({{ reason | cut }}): the clock or munge
there is not that of the controller
'''

[[summary]]
when = "out_because == 'credential'"
say = '''
A daemon of Slurm refused a credential ({{ reason | cut }}): the clocks or the keys of munge differ
between two hosts
'''

[[summary]]
when = "out_because == 'lost'"
say = "Slurm has lost {{ hosts | names('node') }}: {{ reason | cut }}"

[[summary]]
when = "scheduler == 'dask'"
say = '''
Dask no longer heard from {% if hosts %}the workers on {{ hosts | names }}{% else %}a worker
{%- endif %}: the process or its host went, cannot be reached, or was busy for minutes without a
word
'''

[[summary]]
when = "scheduler == 'htcondor' and hosts"
say = '''
HTCondor lost {{ hosts | names('node') }} and could not reconnect
{% if job %}job {{ job }}{% else %}the job{% endif %}: the machine went, or the way to it
'''

[[summary]]
say = '''
{% if hosts %}{{ hosts | names('node') | capital }}{% else %}A node{% endif %} failed
{% if job %}during job {{ job }}{% if job_name %} ({{ job_name }}){% endif %}{% endif %}
({{ {'slurm': 'Slurm', 'pbs': 'PBS', 'lsf': 'LSF', 'flux': 'Flux', 'htcondor': 'HTCondor',
'kubernetes': 'Kubernetes', 'ray': 'Ray', 'spark': 'Spark', 'tpu': 'TPU', 'azureml': 'Azure ML',
'ci': 'CI runner', 'cloud': 'cloud provider'}.get(scheduler, scheduler) }})
'''

[[step]]
when = "scheduler == 'mpirun'"
say = '''
Check whether {{ hosts | names }} {{ hosts | agree('is', 'are') }} up and can be reached: no log
here says why the daemon went away.
'''
run = ["ping -c 3 {{ host }}", "kubectl describe pod {{ host }}"]

[[step]]
when = "out_because == 'stuck'"
say = '''
On {{ hosts | names }}, see what the processes wait for: state D and its kernel function name the
file system or the driver that does not answer. Only a reboot frees them.
'''
run = ["ps -eo pid,stat,wchan:32,args", "dmesg -T | grep -iE 'blocked for more|nfs|lustre|NVRM'"]

[[step]]
when = "out_because == 'credential'"
say = '''
Compare the time{% if hosts %} of {{ hosts | names }}{% endif %} with the controller's, and let
munge decode there what it encoded here: it tells of a clock that differs, and of another key. A
node that takes longer than the credential lasts to start a step (a slow prolog, a daemon that
hangs) refuses it as expired, too.
'''
run = ["timedatectl", "munge -n | ssh {{ host }} unmunge", "systemctl status munge slurmd chronyd"]

[[step]]
when = "scheduler == 'slurm' and hosts and out_because != 'credential'"
say = "Ask Slurm why {{ hosts | names }} went down."
run = [
  "scontrol show node {{ hosts | join(',') }}",
  "sinfo -R -n {{ hosts | join(',') }}",
]

[[step]]
when = "scheduler == 'slurm' and not hosts and out_because != 'credential'"
say = "Ask Slurm which node failed."
run = ["sacct -j {{ job }} -o JobID,State,ExitCode,End,NodeList", "sinfo -R"]

[[step]]
when = "scheduler == 'kubernetes'"
say = '''
Ask Kubernetes why {% if hosts %}{{ hosts | names }}{% else %}the node{% endif %} went away, and
keep pods off until that is known.
'''
run = [
  "kubectl get nodes",
  "kubectl get events -A --field-selector involvedObject.kind=Node",
  "kubectl describe node {{ host }}",
  "kubectl cordon {{ host }}",
]

[[step]]
when = "scheduler == 'dask'"
say = '''
Read what the worker{% if hosts %} on {{ hosts | names }}{% endif %} and its nanny wrote last. If
it lives, see what it does: code that holds the GIL keeps it from answering.
'''
run = ["py-spy dump --pid $(pgrep -of 'dask.worker')"]

[[step]]
when = "scheduler == 'pbs'"
say = "Ask PBS which nodes are down."
run = ["pbsnodes -l", "tracejob {{ job }}"]

[[step]]
when = "scheduler == 'ray'"
say = '''
Read what the raylet{% if hosts %} of {{ hosts | names }}{% endif %} wrote last, and that host's
kernel log: a node whose raylet was killed, or was too busy to answer, is marked dead as well.
'''
run = ["tail -n 50 /tmp/ray/session_latest/logs/raylet.out", "dmesg -T | grep -i 'killed process'"]

[[step]]
when = "scheduler == 'ci'"
say = '''
See whether {% if hosts %}{{ hosts | names }} is{% else %}the runner is{% endif %} up, and in its
kernel log whether memory ran out: a runner that was killed or starved is lost like its host.
'''
run = ["dmesg -T | grep -i 'killed process'"]

[[step]]
when = "scheduler not in ('mpirun', 'cloud', 'tpu', 'azureml') and out_because != 'credential'"
say = '''
On {% if hosts %}{{ hosts | names }}{% else %}that node{% endif %}, read the kernel's last lines
before the reboot and the BMC's event log: panic, machine check, power, GPU off the bus.
'''
run = ["journalctl -k -b -1 -n 100", "ipmitool sel elist", "last -x reboot shutdown"]

[[step]]
when = "scheduler == 'slurm' and hosts"
say = '''
Start again from the last checkpoint without {{ hosts | names }} until the reason is known.
'''
run = ["@leave_out hosts"]

[[step]]
when = "(scheduler != 'slurm' or not hosts) and out_because != 'credential'"
say = '''
Start again from the last checkpoint without
{% if hosts %}{{ hosts | names }}{% else %}that node{% endif %} until the reason is known.
'''
*/
with
    failure as (
        select
            scheduler,
            -- a row of sacct or scontrol says of which job; of several, none is the one
            case
                when count(distinct regexp_extract(coalesce(job, listed_job), '^[0-9]+')) <= 1
                then min(coalesce(job, listed_job))
            end as job,
            case
                when count(distinct regexp_extract(coalesce(job, listed_job), '^[0-9]+')) <= 1
                then min(job_name)
            end as job_name,
            min(time) as first_report,
            max(time) as until,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            -- CANCELLED ... DUE TO NODE FAILURE names the node of the batch script, not the one
            -- that failed
            coalesce(
                list_sort(
                    list_distinct(
                        flatten(
                            list(node_names(host)) filter (
                                host is not null and message is distinct from 'NODE FAILURE'
                            )
                        )
                    )
                ),
                []
            ) as hosts
        from job_event
        left join
            (select file_id, line_no, job as listed_job, job_name from job_seen) using (
                file_id, line_no
            )
        where
            event = 'node_failure'
            and message is distinct from 'JOB NOT ENDING WITH SIGNALS'
            -- it has been ready again since, as when its kubelet was restarted
            and not (
                message = 'NodeNotReady'
                and exists (
                    from job_event r
                    where
                        r.event = 'node_ready'
                        and r.file_id = job_event.file_id
                        and r.host is not distinct from job_event.host
                        and coalesce(
                            r.age_seconds <= job_event.age_seconds,
                            r.time >= job_event.time,
                            r.line_no > job_event.line_no
                        )
                )
            )
            -- HTCondor started it elsewhere, and there it ended well
            and not (
                scheduler = 'htcondor' and ends_well_after(job_event.file_id, job_event.line_no)
            )
        group by scheduler
    )
select
    evidence,
    -- a scheduler notices after some minutes (Slurm's SlurmdTimeout: 5): what was seen before may
    -- be the echo
    first_report - interval 6 minute as "at",
    until,
    hosts,
    hosts[1] as node,
    job,
    job_name,
    scheduler,
    case when scheduler in ('dask', 'htcondor') then 'probable' end as confidence
from failure
union all by name
-- The launcher of an MPI job lost its daemon on a node: the node or pod went, or the way to it.
-- Where a process tells of its own end, the daemon went with the job.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct peer)) as hosts,
    min(peer) as node,
    'mpirun' as scheduler,
    'possible' as confidence
from launcher_event
where
    event = 'daemon_lost'
    and peer is not null
    and not exists (from job_event where event = 'node_failure')
    and not exists (from ended_from_outside)
    and not exists (from fatal_exception)
    and not exists (from death where source <> 'ray')
    and not exists (from "exit" where exitcode between 1 and 127)
having count(*) > 0
union all by name
-- Processes that wait in the kernel outlast the signals that end them. Where the job's end was
-- told, that is no reason of it.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) - interval 6 minute as "at",
    max(time) as until,
    list_sort(list_distinct(flatten(list(node_names(host)) filter (host is not null)))) as hosts,
    hosts[1] as node,
    min(job) as job,
    'slurm' as scheduler,
    'stuck' as out_because,
    case when told_of_end then 'warning' end as severity,
    case when told_of_end then [] end as explains
from
    (
        select
            *,
            exists (
                from job_event as e
                where e.event in ('time_limit', 'preempted', 'cancelled', 'requeued')
            ) as told_of_end
        from job_event
        where event = 'node_failure' and message = 'JOB NOT ENDING WITH SIGNALS'
    )
group by told_of_end
union all by name
-- A credential is good for minutes by the clock of the host that reads it, and for one use. What a
-- daemon could not read of others ends no job for sure; a step that did not start does.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct host) filter (host is not null and not in_daemon)) as hosts,
    hosts[1] as node,
    min(job) as job,
    'slurm' as scheduler,
    'credential' as out_because,
    mode(message) as reason,
    case when bool_and(in_daemon) then 'possible' else 'probable' end as confidence,
    ['crash', 'hang', 'network'] as explains
from
    (
        select
            *,
            message in (
                'Expired credential',
                'Rewound credential',
                'Replayed credential',
                'Invalid credential'
            ) as in_daemon
        from job_event
        where event = 'credential_refused'
    )
having count(*) > 0
union all by name
-- What Slurm says of nodes at one moment; those that the job does not use are worth knowing, no
-- more.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    list(distinct host order by host) as hosts,
    case when not bool_or(of_the_job) then 'warning' end as severity,
    case when not bool_or(of_the_job) then [] end as explains,
    'slurm' as scheduler,
    class as out_because,
    any_value(reason) as reason
from node_out
where
    class in ('lost', 'stuck')
    and not exists (from job_event e where e.event = 'node_failure' and e.host = node_out.host)
group by class, case when class = 'lost' then reason end
union all by name
-- in words that no grammar knows
select evidence, "at", hosts, hosts[1] as node, explains, told, confidence, otherwise
from told_cause
where what = 'node_lost'
