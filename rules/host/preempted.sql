/*
title = "The job was ended from outside"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "hang",
  "crash.signal",
  "crash.exception",
  "divergence.stack",
  "divergence.collective_count",
  "loss.rollback",
]
explains_after = ["crash.exception"]
transient = true
about = """
The scheduler ended the job: its time was over, a job of higher priority took its nodes, it was put
back into the queue, or a person cancelled it. Or the launcher was told to stop, and nothing tells
by whom. What the program prints afterwards (SIGTERM, closed connections) is only the echo. A line
CANCELLED without a reason counts where nothing had failed before it: Slurm prints it also when a
step fails. A job that hung until its time was over, or until somebody ended it, died
of the hang.
"""
false_positives = "The job had hung long before its time was over: then the hang is the cause."
references = ["https://slurm.schedmd.com/preempt.html"]

[[summary]]
when = "told"
say = '''
The job
{% if reason == 'time_limit' %}reached its time limit
{%- elif reason == 'preempted' %}was preempted
{%- else %}was cancelled{% endif %}, as the log tells: {{ told | cut(200) }}
'''

[[summary]]
when = "reason == 'hangup'"
say = '''
The launcher received SIGHUP: the terminal or SSH session that it was started from was closed
'''

[[summary]]
when = "reason == 'told_to_stop' and of_process"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process of the job{% endif %}
{%- if pid %} (pid {{ pid }}){% endif %}{% if host %} on {{ host }}{% endif %}
{{ (ranks or [0]) | agree('was', 'were') }} ended with SIGTERM,
the first of all to end: its launcher had not asked for it, and no log here says who did
'''

[[summary]]
when = "reason == 'told_to_stop' and of_node"
say = '''
The daemon of Ray (raylet){% if host %} on {{ host }}{% endif %} was told to stop (SIGTERM), and no
log here says by whom, or that its work was done
'''

[[summary]]
when = "reason == 'told_to_stop'"
say = '''
{% if pid %}The launcher (pid {{ pid }}){% elif ranks %}{{ ranks | ranks | capital }}
{%- else %}The job{% endif %}{% if host %} on {{ host }}{% endif %}
{{ (ranks if ranks and not pid else [0]) | agree('was', 'were') }} told to stop from outside
(SIGTERM); nothing had failed before
'''

[[summary]]
when = "may_have_hung"
say = '''
The job{% if host %} on {{ host }}{% endif %} was interrupted (SIGINT, as Ctrl-C sends it); this log
does not tell whether it stood still then
'''

[[summary]]
when = "reason == 'interrupted'"
say = '''
{% if pid %}The launcher (pid {{ pid }}){% else %}The job{% endif %}{% if host %} on {{ host }}
{%- endif %} was interrupted (SIGINT, as Ctrl-C sends it) while the job trained; nothing had failed
before
'''

[[summary]]
when = "reason == 'warning_signal'"
say = '''
The scheduler's warning ahead of the end ({{ signal_name }}) ended
{% if ranks %}{{ ranks | ranks }}{% else %}the processes{% endif %}: nothing in the program handles
that signal
'''

[[summary]]
when = "reason == 'cancelled' and scheduler == 'grid engine'"
say = '''
Grid Engine ended job {{ job }} while it ran: it had removed the job's own directory
'''

[[summary]]
when = "reason == 'preempted' and scheduler in ('cloud', 'ray')"
say = '''
The cloud provider took back {% if hosts %}spot instance {{ hosts | names }}{% else %}a spot
instance{% endif %}
'''

[[summary]]
say = '''
{% if jobs %}Jobs {{ jobs | names }}{% elif step_alone %}Step {{ job }}.{{ job_step }}
{%- elif job %}Job {{ job }}{% if job_name %} ({{ job_name }}){% endif %}{% elif hosts %}The job on
{{ hosts | names }}{% else %}The job{% endif %}
{% if reason == 'time_limit' %}reached {{ 'their' if jobs else 'its' }} time limit
{%- elif reason == 'preempted' %}{{ 'were' if jobs else 'was' }} preempted
{%- elif reason == 'requeued' %}{{ 'were' if jobs else 'was' }} put back into the queue
{%- else %}{{ 'were' if jobs else 'was' }} cancelled{% if by %} by {{ by }}{% endif %}{% endif %}
({{ {'slurm': 'Slurm', 'pbs': 'PBS', 'lsf': 'LSF', 'kubernetes': 'Kubernetes', 'htcondor':
'HTCondor', 'grid engine': 'Grid Engine', 'sagemaker': 'SageMaker', 'cobalt': 'Cobalt', 'oar':
'OAR', 'modal': 'Modal', 'flyte': 'Flyte', 'aws batch': 'AWS Batch', 'cloud run': 'Cloud Run',
'ci': 'CI'}.get(scheduler, scheduler) }})
{%- if silent_seconds %}, {{ silent_seconds | duration }} after its log fell silent
{%- elif had_hung %}, having hung before{% endif %}
'''

[[step]]
when = "silent_seconds"
say = '''
Find out first why its log fell silent{% if step %} after step {{ step }}{% endif %}: most likely it
hung. When it does so again, take the stacks of all ranks before the scheduler ends it.
'''
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt"]

[[step]]
when = "had_hung and not silent_seconds"
say = '''
Look at the hang first: the ranks had stopped making progress well before the job was ended.
'''

[[step]]
when = "step_alone and not (had_hung or silent_seconds)"
say = '''
See whether the step has a limit of its own (srun --time, SLURM_TIMELIMIT), shorter than that of job
{{ job }}: of the job's own end there is no word.
'''

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds) and scheduler == 'slurm'"
say = '''
Ask for more time (sbatch --time) if the partition allows it, and have Slurm warn the job ten
minutes before the end so that it can save a checkpoint (a handler for SIGUSR1).
'''
run = [
  "sacct -j {{ job }} -o JobID,Partition,State,Elapsed,Timelimit",
  "sinfo -o '%P %l'",
  "sbatch --signal=USR1@600",
]

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds) and scheduler == 'kubernetes'"
say = "Raise activeDeadlineSeconds of the job, or split the training into jobs that fit into it."
run = ["kubectl get jobs -o custom-columns=NAME:.metadata.name,LIMIT:.spec.activeDeadlineSeconds"]

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds) and scheduler == 'pbs'"
say = "Ask for more time (qsub -l walltime=…) if the queue allows it."
run = ["qstat -Qf"]

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds) and scheduler == 'lsf'"
say = '''
Ask for more time (bsub -W) if the queue allows it, and have LSF warn the job before the end (-wt,
-wa).
'''
run = ["bqueues -l", "bhist -l {{ job }}"]

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds) and scheduler == 'modal'"
say = "Raise the function's timeout=, 24 hours at most: it counts for every attempt anew."

[[step]]
when = "reason == 'time_limit' and not (had_hung or silent_seconds)"
say = '''
Write checkpoints so often that what is lost at the limit does not hurt, and start again from the
last one{% if scheduler == 'slurm' %}; a job array that runs one job at a time starts the next part
by itself{% endif %}.
'''
run = ["{% if scheduler == 'slurm' %}sbatch --array=1-10%1 job.slurm{% endif %}"]

[[step]]
when = "reason == 'preempted' and scheduler == 'slurm'"
say = '''
Submit the job to a partition or QOS that is not preempted, or make it ready for it: save when
SIGTERM arrives (GraceTime says how long there is) and let Slurm start it again (sbatch --requeue).
'''
run = [
  "scontrol show partition | grep -E 'PartitionName|PreemptMode|GraceTime'",
  "sacctmgr show qos format=name,priority,preempt,preemptmode,gracetime",
]

[[step]]
when = "reason == 'preempted' and scheduler in ('cloud', 'ray')"
say = '''
Start a replacement{% if hosts %} for {{ hosts | names }}{% endif %} and resume from the last
checkpoint. The notice comes two minutes ahead on AWS, 30 seconds on Google Cloud and Azure: save
when it comes, or use on-demand or reserved instances for long runs.
'''
run = [
  "aws ec2 describe-spot-instance-requests --filters Name=state,Values=closed,cancelled",
  "gcloud compute operations list --filter=operationType=compute.instances.preempted",
]

[[step]]
when = "reason == 'preempted' and scheduler == 'kubernetes'"
say = '''
Give the pods a PriorityClass that is not preempted, and resume from the last checkpoint.
'''
run = [
  "kubectl get events -A --field-selector reason=Preempted",
  "kubectl get priorityclass",
  "kubectl describe pod {{ job }}",
]

[[step]]
when = "reason == 'preempted' and scheduler == 'lsf'"
say = "Submit the job to a queue that is not preemptable, and resume from the last checkpoint."
run = ["bqueues -l", "bhist -l {{ job }}"]

[[step]]
when = "reason == 'requeued'"
say = '''
Check that the job resumes from its last checkpoint when Slurm starts it again, and find out who or
what requeued it (a person, a preempting job, a node that failed).
'''
run = [
  "scontrol show job {{ job }}",
  "sacct -D -j {{ job }} -o JobID,State,Start,End,NodeList,Reason",
]

[[step]]
when = "reason == 'cancelled' and scheduler == 'grid engine'"
say = '''
See in its record why it was ended (a limit such as h_rt, qdel, its host); then start again from the
last checkpoint.
'''
run = ["qacct -j {{ job }}"]

[[step]]
when = "reason == 'cancelled' and scheduler != 'grid engine' and not (had_hung or silent_seconds)"
say = '''
Ask {% if by and not by.startswith('uid ') %}{{ by }}{% else %}whoever cancelled it{% endif %} why
it was ended; then start again from the last checkpoint.
'''
run = [
  "{% if by and by.startswith('uid ') %}getent passwd {{ by | replace('uid ', '') }}{% endif %}",
  "{% if scheduler == 'slurm' %}sacct -j {{ job }} -o JobID,State%30,ExitCode,Start,End{% endif %}",
  "{% if scheduler == 'lsf' %}bhist -l {{ job }}{% endif %}",
  "{% if scheduler == 'pbs' %}tracejob {{ job }}{% endif %}",
  "{% if scheduler == 'htcondor' %}condor_history -long {{ job }}{% endif %}",
]

[[step]]
when = "reason == 'told_to_stop' and of_node"
say = '''
See what ended the cluster: an autoscaler, an orchestrator or a person (ray stop); it is ended the
same way when its work is done.
'''
run = ["ray status", "kubectl get events -A --sort-by=.lastTimestamp"]

[[step]]
when = "reason == 'told_to_stop' and not of_node"
say = '''
Find out who sent SIGTERM at that time: the scheduler (time limit, preemption, cancellation), the
container runtime, a person, or the launcher of another node after a failure there. Then start again
from the last checkpoint.
'''
run = [
  "sacct -j $SLURM_JOB_ID -o JobID,State,ExitCode,Start,End,Timelimit",
  "kubectl get events -A --sort-by=.lastTimestamp",
  "journalctl --since '1 hour ago' | grep -iE 'kill|stop|evict|oom'",
]

[[step]]
when = "may_have_hung"
say = '''
Ask whoever ended it whether it had stood still. If so, take the stacks of all ranks the next time,
before anybody ends it.
'''
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt"]

[[step]]
when = "reason == 'interrupted' and not may_have_hung"
say = '''
Ask whoever started the job whether they ended it; a notebook or a service that runs it sends SIGINT
too. Then resume from the last checkpoint.
'''

[[step]]
when = "reason == 'warning_signal'"
say = '''
Handle {{ signal_name }} in the training loop: set a flag, finish the step, save, leave. torchrun
and accelerate do not pass it on: have the batch script catch it (B: in --signal) and send it to the
workers.
'''
run = ["scontrol show job {{ job }}", "sbatch --signal=B:USR1@600 job.slurm"]

[[step]]
when = "reason == 'hangup'"
say = '''
Start the job where it outlives the session: in tmux or screen, through the scheduler, or with
setsid; then resume from the last checkpoint. nohup alone does not help torchrun, which installs
its own handler for SIGHUP.
'''
run = ["tmux new -s train"]

[[step]]
otherwise = true
say = '''
See in the scheduler's record who or what ended the job, then resume from the last checkpoint.
'''
*/
with
    last_attempt as (select file_id, max(line_no) as begun_line from job_attempt group by file_id),
    -- What went wrong in the last attempt of a log, and in those that know of one only.
    failed_since as (
        select file_id, line_no, what
        from
            (
                select file_id, line_no, 'exception' as what
                from fatal_exception
                union all
                select file_id, line_no, 'memory'
                from oom_event
                union all
                select file_id, line_no, event
                from job_event
                where event in ('node_failure', 'oom_kill')
            )
        left join last_attempt using (file_id)
        where line_no >= coalesce(begun_line, 0)
    ),
    ending as (
        select
            job_event.* replace (coalesce(job, listed_job) as job),
            job_name,
            regexp_replace(
                regexp_replace(message, '^CANCELLED by ', 'uid '), '^Job deleted at request of ', ''
            ) as sender,
            -- what submitit heard
            (
                select min(n.signal)
                from signal_number n
                where n.said = job_event.message or n.signal::varchar = job_event.message
            ) as signal,
            case
                event when 'preempted' then 1 when 'time_limit' then 2 when 'requeued' then 3 else 4
            end as weight
        from job_event
        left join
            (select file_id, line_no, job as listed_job, job_name from job_seen) using (
                file_id, line_no
            )
        where
            event in ('time_limit', 'preempted', 'requeued')
            -- Slurm starts it again, and in the same log it came to its end
            and not (
                scheduler = 'slurm'
                and event in ('preempted', 'requeued')
                and exists (
                    from training_mark m
                    where
                        m.kind = 'end'
                        and m.ended_by is null
                        and m.file_id = job_event.file_id
                        and m.line_no > job_event.line_no
                )
            )
            -- HTCondor also takes a job from its machine that it puts on hold or removes, and
            -- starts it elsewhere
            and not (
                scheduler = 'htcondor'
                and event = 'preempted'
                and (
                    exists (
                        from job_event r
                        where
                            r.file_id = job_event.file_id
                            and r.line_no - job_event.line_no between 1 and 30
                            and r.event in ('oom_kill', 'time_limit', 'cancelled')
                    )
                    or ends_well_after(job_event.file_id, job_event.line_no)
                )
            )
            -- Modal starts a function again
            and not (
                scheduler = 'modal'
                and (
                    select count(*)
                    from training_line t
                    where t.file_id = job_event.file_id and t.line_no > job_event.line_no
                )
                >= 3
            )
            or (
                event = 'cancelled'
                and regexp_matches(
                    message,
                    '^(CANCELLED by |uid |TERM_|via condor_|cancel$|Job deleted |KILLED$)'
                    -- the expression of a policy of HTCondor
                    || '|^The (job attribute|system macro) '
                )
                -- HTCondor let the job go on that it held
                and not exists (
                    from htcondor_event h
                    where
                        h.file_id = job_event.file_id
                        and h.cluster::varchar = job_event.job
                        and h.line_no > job_event.line_no
                        and h.code in (1, 13)
                )
                -- the jobs of one name append to one file, and a later one came to its end
                and not (
                    starts_with(message, 'TERM_')
                    and ends_well_after(job_event.file_id, job_event.line_no)
                )
                -- the reason follows in the same mail: no person ended it
                and not exists (
                    from job_event r
                    where
                        r.file_id = job_event.file_id
                        and r.line_no - job_event.line_no between 1 and 3
                        and r.event in ('oom_kill', 'time_limit')
                        and starts_with(job_event.message, 'Job deleted ')
                )
            )
            -- Slurm cancels a step that somebody ended, and one of which a task had failed.
            or (
                event = 'cancelled'
                and message is null
                and (
                    exists (from death where signal = 15)
                    or exists (
                        from launcher_event
                        where event = 'told_to_stop' and signal_name in ('15', 'SIGTERM')
                    )
                    -- the whole job, which went on to its last line
                    or job_step is null
                    and scheduler = 'slurm'
                    and exists (
                        from training_line t
                        where
                            t.file_id = job_event.file_id
                            and job_event.line_no - t.line_no between 1 and 20
                            and coalesce(job_event.time - t.time < interval 10 minute, true)
                    )
                    and not exists (from death)
                )
                and not exists (from death where signal <> 15)
                and not exists (from "exit" where exitcode not in (0, 15, -15, 143))
                and not exists (from fatal_exception)
                and not exists (from oom_event)
                and not exists (from c10d_timeout_line)
                and not exists (from job_event where event in ('node_failure', 'oom_kill'))
            )
            -- Grid Engine takes the job's directory away when the job is over, also because of what
            -- went wrong in it.
            or (
                event = 'cancelled'
                and scheduler = 'grid engine'
                and not exists (from death where signal not in (9, 15))
                and not exists (from "exit" where exitcode not in (0, 15, -15, 143, 9, -9, 137))
                and not exists (from fatal_exception)
                and not exists (from oom_event)
                and not exists (from c10d_timeout_line)
                and not exists (from training_mark where kind = 'end')
            )
            -- Nothing goes wrong before it, and it is the last that is written, or what became of
            -- its tasks follows, or what the batch system prints behind a job; what a step at the
            -- start of the job came to has long been passed.
            or (
                event = 'cancelled'
                and message is null
                and scheduler = 'slurm'
                and (
                    exists (
                        from "exit" x
                        where
                            x.file_id = job_event.file_id
                            and x.line_no - job_event.line_no between 1 and 300
                            and x.source = 'srun'
                    )
                    or (
                        exists (
                            from file f
                            where
                                f.file_id = job_event.file_id
                                -- behind the end of the whole job a program may say that it stops
                                and f.lines - job_event.line_no < if(job_step is null, 12, 3)
                        )
                        or exists (
                            from training_mark m
                            where
                                m.kind = 'epilog'
                                and m.file_id = job_event.file_id
                                and m.line_no - job_event.line_no between 1 and 5
                        )
                    )
                    and (
                        job_step is null
                        -- a step, where srun would have told of a task that failed
                        or exists (
                            from unread_line u
                            where u.file_id = job_event.file_id and is_end_of_step(u.text)
                        )
                        or 1 < (
                            select count(*)
                            from training_line t
                            where
                                t.file_id = job_event.file_id
                                and job_event.line_no - t.line_no between 1 and 20
                                and coalesce(job_event.time - t.time < interval 10 minute, true)
                        )
                    )
                )
                -- no task had failed
                and exists (
                    from ended_from_outside o
                    where o.file_id = job_event.file_id and o.line_no = job_event.line_no
                )
                and not exists (
                    from death d
                    where
                        d.file_id <> job_event.file_id
                        or job_event.line_no - d.line_no between 1 and 300
                )
                and not exists (
                    from trouble_sign s
                    left join last_attempt b using (file_id)
                    where
                        s.sign <> 'scheduler'
                        and (
                            s.file_id <> job_event.file_id
                            or job_event.line_no - s.line_no between 1 and 300
                            and s.line_no >= coalesce(b.begun_line, 0)
                        )
                )
                and not exists (
                    from unread_line u
                    where
                        u.file_id = job_event.file_id
                        and job_event.line_no - u.line_no between 1 and 40
                        -- srun's word for the same
                        and not is_end_of_step(u.text)
                        and not is_code(u.text)
                        and not is_mild(u.text)
                        and not is_news(u.prefix)
                        and not is_warned(u.prefix)
                )
                and not exists (
                    from failed_since s
                    where
                        s.file_id <> job_event.file_id
                        or s.line_no < job_event.line_no
                        or what <> 'exception'
                )
            )
    ),
    -- It had hung before it was ended: that has nothing to do with who needed the nodes.
    earlier_hang as (
        select 1
        from ending e
        where
            event in ('time_limit', 'cancelled')
            and (
                exists (from missing_rank_suspect)
                or exists (
                    from c10d_timeout_line t
                    where
                        t.source = 'watchdog'
                        and coalesce(
                            t.time - to_milliseconds(coalesce(t.ran_ms, 0))
                            < e.time - interval 2 minute,
                            true
                        )
                )
            )
    ),
    ended_job as (
        select
            scheduler,
            arg_min(event, weight) as reason,
            arg_min(sender, weight) as sender,
            min(signal) filter (signal is not null) as sent,
            reason in ('time_limit', 'cancelled') and exists (from earlier_hang) as had_hung,
            -- of several jobs, as an accounting file has them, none is the one
            list(distinct job_number order by job_number) filter (
                job_number <> '' and is_first
            ) as numbers,
            case when coalesce(len(numbers), 0) <= 1 then min(job) end as job,
            case when coalesce(len(numbers), 0) <= 1 then min(job_name) end as job_name,
            min(job_step) as job_step,
            -- who says that it was that, or a failure, does not know
            bool_and(coalesce(message like '%preempted or failed%', false)) as is_doubtful,
            count(distinct job_step) = 1
            and bool_and(
                event = 'time_limit'
                and job_step is not null
                and job_step not in ('batch', 'extern', 'interactive')
            ) as step_alone,
            min(time) as started,
            max(time) as until,
            list(distinct host) filter (host is not null) as hosts,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence
        from
            (
                select
                    *,
                    regexp_extract(job, '^[0-9]+') as job_number,
                    weight = min(weight) over (partition by scheduler) as is_first
                from ending
            )
        group by scheduler
    )
select
    case when s.line is null then evidence else list_concat([s.line], evidence) end as evidence,
    started as "at",
    until,
    hosts,
    case
        when reason = 'cancelled' or (reason = 'time_limit' and had_hung) then 'warning'
    end as severity,
    case
        when is_doubtful or reason = 'cancelled' and sender is null then 'possible'
    end as confidence,
    case when had_hung then ['network.peer_lost', 'crash.signal'] end as explains,
    case
        when reason = 'time_limit'
        then 'time limit'
        when reason = 'preempted'
        then 'preemption'
        when reason = 'requeued'
        then 'requeue'
        when sender like 'TERM%OWNER%'
        then 'its owner'
        when sender like 'TERM%ADMIN%'
        then 'an administrator'
        else regexp_extract(sender, '(uid [0-9]+)', 1)
    end as "by",
    reason,
    case when had_hung then true end as had_hung,
    round(s.silent_seconds) as silent_seconds,
    s.last_step::bigint as step,
    coalesce(sent, 15) as signal,
    (select min(signal_name) from signal_number n where n.signal = sent) as signal_name,
    job,
    job_name,
    job_step,
    case when len(numbers) > 1 then numbers end as jobs,
    case when step_alone and job is not null then true end as step_alone,
    j.scheduler
from ended_job as j
-- where nothing else tells of a hang
left join
    silent_before_end as s
    on s.scheduler = j.scheduler
    and j.reason in ('time_limit', 'cancelled')
    and not j.had_hung
union all by name
-- SIGHUP comes of a terminal that was closed.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    'critical' as severity,
    'probable' as confidence,
    'closed terminal' as "by",
    'hangup' as reason,
    1 as signal
from launcher_event
where
    event = 'told_to_stop'
    and (signal_name in ('1', 'SIGHUP') or signal = 1)
    -- torchrun passes on what it was sent itself
    or event = 'closing'
    and signal_name = 'SIGHUP'
having count(*) > 0
union all by name
-- SIGTERM has too many senders to name one.
select
    evidence,
    started as "at",
    until,
    case when host is not null then [host] end as hosts,
    -- a cluster is taken down when its work is done, too
    case when of_node then 'info' else 'critical' end as severity,
    case when of_process or of_node then 'possible' else 'probable' end as confidence,
    case signal when 2 then 'interrupted' else 'told_to_stop' end as reason,
    signal,
    pid,
    ranks,
    of_process,
    of_node
from agent_stopped
union all by name
select
    evidence,
    time as "at",
    case when host is not null then [host] end as hosts,
    'warning' as severity,
    'possible' as confidence,
    'interrupted' as reason,
    2 as signal,
    true as may_have_hung,
    true as otherwise
from interrupted_at_end
union all by name
-- A signal that no system sends by itself: somebody asked for it ahead of the end, and the program
-- has no handler.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'critical' as severity,
    'probable' as confidence,
    'warning_signal' as reason,
    signal,
    any_value(signal_name) as signal_name
from death
where signal in (10, 12) and not exists (from ending)
group by signal
union all by name
-- in words that no grammar knows
select evidence, "at", what as reason, explains, told, confidence, otherwise
from told_cause
where what in ('time_limit', 'preempted', 'cancelled')
