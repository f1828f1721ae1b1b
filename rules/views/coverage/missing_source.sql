-- view:
with
    cause as (
        select
            rule,
            confidence,
            ranks,
            hosts,
            facts,
            rule like 'hang.%' as hangs,
            rule like 'network.%' as network,
            -- what a hang or a dead peer is about is often told by another log than the one that
            -- complains
            confidence = 'definite'
            and rule not in (
                'hang.collective_timeout',
                'hang.init_incomplete',
                'hang.missing_rank',
                'crash.signal',
                'gpu.cuda_error',
                'host.node_lost',
                'network.ib_error',
                'network.connect_failure'
            ) as settled,
            coalesce((facts ->> 'signal') not in ('4', '6', '8', '11'), true) as may_be_killed
        from incident
        where root
    ),
    said as (
        select
            bool_or(hangs) as hangs,
            bool_or(network) as network,
            bool_or(settled) as settled,
            bool_or(rule = 'hang.init_incomplete') as at_init,
            bool_or(rule in ('hang.collective_timeout', 'hang.missing_rank')) as in_collective,
            bool_or(
                network
                or rule in ('gpu.cuda_error', 'hang.missing_rank')
                or (rule = 'crash.signal' and may_be_killed)
                or (rule = 'oom.host' and confidence = 'possible')
            ) as kernel_would_tell
        from cause
    ),
    suspect as (  -- who is suspected of not having come
        select distinct r
        from
            (
                select unnest(ranks) as r
                from cause
                where rule = 'hang.missing_rank'
                union all
                select unnest(j.silent_ranks)
                from job_size j, said
                where said.at_init
            )
    ),
    unheard as (
        select
            list(r order by r) as ranks,
            list(distinct k.host order by k.host) filter (k.host is not null) as hosts
        from suspect
        left join rank k on k.rank = r
        where r in (select unnest(silent_ranks) from job_size)
        having count(*) > 0
    ),
    unseen as (  -- suspects whose own stack nobody took
        select
            list(r order by r) as ranks,
            list(distinct k.host order by k.host) filter (k.host is not null) as hosts
        from suspect
        left join rank k on k.rank = r
        where
            r not in (
                select rank
                from stack_rank
                where rank is not null
                union all
                select rank
                from attach_refused
                where rank is not null
            )
        having count(*) > 0
    ),
    refused as (  -- by tool and reason: the processes it could not look into
        select
            tool,
            reason,
            list(distinct host order by host) filter (host is not null) as hosts,
            case
                when count(rank) = count(*)
                then 'rank ' || ranges(list(distinct rank))
                when count(pid) > 0
                then
                    'process ' || array_to_string(
                        list(distinct pid order by pid) filter (pid is not null), ', '
                    )
                else 'the processes'
            end as who,
            case
                when count(distinct pid) = 1 and count(pid) = count(*)
                then min(pid)::varchar
                else 'PID'
            end as pid_said
        from attach_refused
        where reason in ('permission', 'capability', 'traced')
        group by tool, reason
    ),
    failed_first as (  -- a process failed and says nowhere why
        select
            coalesce('rank ' || e.rank, 'local rank ' || e.local_rank) as who,
            short_host(e.host) as host,
            e.exitcode
        from "exit" e
        where
            coalesce(e.rank, e.local_rank) is not null
            and e.exitcode between 1 and 127
            and not exists (
                from exception_verdict x
                where x.rank = e.rank or (x.rank is null and x.kind <> 'echo')
            )
            and not exists (from cause where settled)
        order by e.first_observed desc nulls last, e.rank is null, e.time nulls last, e.rank
        limit 1
    ),
    died as (  -- Ray tells that a worker is gone, not why
        select distinct pid, host
        from "exit"
        where source = 'ray' and pid is not null and host is not null and not exists (from cause)
        order by pid
        limit 4
    ),
    blamed as (
        select distinct short_host(h) as host, rule
        from
            (
                select unnest(hosts) as h, rule
                from cause
                where
                    len(hosts) <= 4
                    and (
                        rule in (
                            'gpu.cuda_error',
                            'hang.missing_rank',
                            'host.node_lost',
                            'network.ib_error',
                            'network.connect_failure',
                            'oom.host'
                        )
                        or (rule = 'crash.signal' and may_be_killed)
                    )
                union all
                -- of a connection the end that did not answer
                select coalesce(a.host, peer), rule
                from
                    (
                        select coalesce(facts ->> 'peer_host', facts ->> 'peer') as peer, rule
                        from cause
                        where network
                    )
                left join address_host a on a.address = peer
            )
        where h is not null and h not in ('localhost', '127.0.0.1', '::1')
    ),
    kernel_host as (
        select distinct short_host(coalesce(k.host, f.host)) as host
        from
            (
                select file_id, host
                from kernel_event
                union all
                select file_id, host
                from nvrm_event
                union all
                select file_id, host
                from xid_line
                union all
                select file_id, host
                from oom_report
            ) k
        join file f using (file_id)
        union
        select short_host(host)
        from file
        where regexp_matches(path, '(?i)dmesg|kern|kmsg|journal|syslog|messages')
    ),
    wanted as (
        select
            1 as place,
            'output of ' || who || coalesce(' on ' || host, '') as what,
            'it ended with exit code ' || exitcode || ' and its reason is not in these logs' as why,
            'copy its stdout and stderr here; for the next run: torchrun --log-dir LOGS --redirects 3 --tee 3, or srun --output=job.%t.out'
            as how
        from failed_first
        union all
        select
            1,
            'output and kernel log of worker ' || pid || ' on ' || host,
            'its process died and what ended it stands there: the OOM killer, a fault, an abort',
            'ssh '
            || host
            || ' ''sudo dmesg -T; cat /tmp/ray/session_latest/logs/worker-*-'
            || pid
            || '.*'' > worker.'
            || pid
            || '.log'
        from died
        union all
        select
            1,
            'logs of rank '
            || ranges(ranks)
            || coalesce(' on ' || nullif(array_to_string(hosts, ', '), ''), ''),
            'the others wait for it, and nothing here was written by it',
            'copy its output here; if nothing was started there, look into the scheduler''s record of that host'
        from unheard
        union all
        select
            1,
            'output of the processes on ' || host,
            'they closed the connection: what ended them stands in their own log',
            'copy their output here'
        from blamed
        where
            rule = 'network.peer_lost'
            and host not in (select host from cause, unnest(hosts) as u(host))
            and host not in (select host from host)
        union all
        select
            2,
            'a whole ' || path,
            'truncated, ends at '
            || path
            || coalesce(':' || line_no, '')
            || coalesce(strftime(last, ' (%Y-%m-%d %H:%M:%S)'), '')
            || ': '
            || how
            || '; what stood behind that place is unknown',
            'copy it again; compare its size with the original'
        from truncated_file
        where not coalesce((select settled from said), true)
        union all
        select
            3,
            'kernel log of ' || host,
            case
                when rule = 'host.node_lost'
                then 'its last lines and its management controller say why it went'
                else 'it says whether the GPU, the network card or the OOM killer was the reason'
            end,
            case
                when rule = 'host.node_lost'
                then
                    'ssh '
                    || host
                    || ' ''sudo journalctl -k -b -1; sudo ipmitool sel elist'' > dmesg.'
                    || host
                    || '.txt'
                else 'ssh ' || host || ' sudo dmesg -T > dmesg.' || host || '.txt'
            end
        from (select host, min(rule) as rule from blamed group by host)
        where host not in (select host from kernel_host where host is not null)
        union all
        select
            4,
            'kernel logs',
            'a kill, a GPU fault or a dead link stands there and nowhere else',
            'on every host: sudo dmesg -T > dmesg.$(hostname).txt'
        from said
        where
            kernel_would_tell
            and not settled
            and not exists (from blamed)
            and not exists (from kernel_host)
        union all
        select
            5,
            'stack of rank ' || ranges(ranks),
            'it shows what it does instead of joining the others',
            case
                when len(hosts) = 1
                then
                    'while it hangs: ssh '
                    || hosts[1]
                    || ' ''pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {}'' > pyspy.'
                    || hosts[1]
                    || '.txt'
                else
                    'while it hangs, on its host: pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt'
            end
        from unseen, said
        where said.hangs and not said.at_init and len(ranks) <= 8
        union all
        select
            5,
            case when tool = 'strace' then 'system calls' else 'stack' end || ' of ' || who,
            tool || case
                reason
                when 'traced'
                then ' was refused: another debugger holds it'
                else ' was refused for lack of permission'
            end,
            case
                reason
                when 'traced'
                then
                    'py-spy dump --nonblocking --pid '
                    || pid_said
                    || '; who holds it: grep TracerPid /proc/'
                    || pid_said
                    || '/status'
                when 'capability'
                then
                    'from its host, outside the container: sudo py-spy dump --pid PID_ON_THE_HOST; or start the container with --cap-add SYS_PTRACE (Kubernetes: securityContext.capabilities.add: [SYS_PTRACE])'
                else
                    coalesce('on ' || nullif(array_to_string(hosts, ', '), '') || ': ', '') || case
                        tool
                        when 'strace'
                        then
                            'sudo strace -f -ttt -T -yy -p '
                            || pid_said
                            || ' -o strace.'
                            || pid_said
                            || '.log'
                        when 'gdb'
                        then
                            'sudo gdb -p '
                            || pid_said
                            || ' -batch -ex "thread apply all bt" > gdb.'
                            || pid_said
                            || '.txt'
                        else
                            'sudo env "PATH=$PATH" py-spy dump --pid '
                            || pid_said
                            || ' > pyspy.'
                            || pid_said
                            || '.txt'
                    end
                    || '; in a container --cap-add SYS_PTRACE; as its user: sudo sysctl kernel.yama.ptrace_scope=0'
                    || case
                        when tool = 'py-spy'
                        then ''
                        else
                            '; if grep TracerPid /proc/'
                            || pid_said
                            || '/status is not 0, another debugger holds it'
                    end
            end
        from refused
        where not coalesce((select settled from said), false)
        union all
        select
            5,
            'stacks of all ranks',
            'they show which rank is not where the others wait',
            'while it hangs, on every host: pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt'
        from said
        where
            hangs
            and not settled
            and not exists (from stack_frame)
            and not exists (from unseen where len(ranks) <= 8)
            and not exists (from refused where tool = 'py-spy')
        union all
        select
            6,
            'Flight Recorder dumps',
            'they tell for every rank which collective it entered last',
            'for the next run: TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_DEBUG_INFO_TEMP_FILE=RUN/nccl_trace_rank_'
        from said
        where in_collective and not settled and not exists (from flight_rank)
        union all
        select
            7,
            'logs of ranks ' || ranges(silent_ranks),
            'the job has ' || world_size || ' ranks and these say nothing here',
            'copy their logs into the run directory'
        from job_size, said
        where
            (hangs or network)
            and not settled
            and len(silent_ranks) > 0
            and not exists (from unheard)
        union all
        select
            8,
            'NCCL output',
            coalesce(
                'NCCL_DEBUG was '
                || (select min(value) from setting where name = 'NCCL_DEBUG')
                || ': ',
                ''
            )
            || 'with INFO it names peers, network cards and the rank of every process',
            'for the next run: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET'
        from said
        where
            (
                in_collective
                or at_init
                or (
                    not exists (from cause)
                    and exists (
                        from fatal_exception where kind = 'collective' and message like '%NCCL%'
                    )
                )
            )
            and not coalesce(settled, false)
            and not exists (from nccl_comm)
    )
select what, why, how
from wanted
order by place, what
