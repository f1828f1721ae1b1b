-- table: One row per lockup, RCU stall or hung task that the kernel reported: weight orders them
-- by how much is known by it (1 hard lockup to 4 hung task, 5 one that was listed as blocked);
-- waits_in is the first function of its stack that is no part of waiting itself, waits_for the
-- subsystem it belongs to, filesystem whose that is (kernel_subsystem).
with
    -- the head of a report is the line above that of the task
    framed as (
        select f.* replace (coalesce(e.line_no, f.hung_line) as hung_line)
        from kernel_frame f
        left join
            kernel_event e
            on e.kind = 'hung_task'
            and e.file_id = f.file_id
            and f.hung_line - e.line_no between 1 and 4
    ),
    stack as (
        select
            file_id,
            hung_line,
            list(function order by depth) filter (
                not regexp_matches(
                    function,
                    '^(__)?(schedule|switch_to|io_schedule|context_switch|bit_wait|wait_on_bit'
                    || '|out_of_line|rt_mutex|mutex|rwsem|down_|up_|wait_for|schedule_|entry_'
                    || '|do_syscall|x64_sys|__x64|ret_from|wait_on_page|folio_wait|filemap_'
                    || '|cv_wait|cxiWait|prepare_to_wait|preempt_)'
                )
            ) as functions,
            -- what several file systems share does not tell which it is
            coalesce(
                first(module order by depth) filter (module not in ('netfs', 'fscache')),
                first(module order by depth) filter (module is not null)
            ) as module
        from framed
        group by all
    ),
    -- a file system may wait in helpers whose names do not tell whose they are
    inner_frame as (
        select
            file_id,
            hung_line,
            module,
            functions[1] as waits_in,
            unnest(range(1, greatest(2, least(4, 1 + coalesce(len(functions), 0))))) as place,
            functions[place] as function
        from stack
    ),
    named as (
        select
            s.file_id,
            s.hung_line,
            s.module,
            s.waits_in,
            min_by(
                k, (case k.by when 'module' then 1 else 2 end, s.place, - length(k.name))
            ) filter (k.name is not null) as subsystem
        from inner_frame s
        left join
            kernel_subsystem k
            on (k.by = 'module' and k.name = s.module)
            or (k.by = 'function' and starts_with(s.function, k.name))
        group by all
    )
select
    -- a stall of RCU names its task below, in the stack of the processor
    e.* replace (
        case
            when e.kind = 'rcu_stall' and t.line_no - e.line_no < 30 then t.process else e.process
        end as process,
        case
            when e.kind = 'rcu_stall' and t.line_no - e.line_no < 30 then t.task_pid else e.pid
        end as pid
    ),
    n.waits_in,
    n.module,
    n.subsystem.waits_for,
    n.subsystem.filesystem,
    case
        e.kind
        when 'hard_lockup'
        then 1
        when 'soft_lockup'
        then 2
        when 'rcu_stall'
        then 3
        when 'hung_task'
        then 4
        else 5
    end as weight
from kernel_event_of_boot e
left join named n on n.file_id = e.file_id and n.hung_line = e.line_no
asof left join
    kernel_task t
    on t.file_id = e.file_id
    and coalesce(t.host, '') = coalesce(e.host, '')
    and e.line_no <= t.line_no
where
    e.kind in ('hard_lockup', 'soft_lockup', 'rcu_stall', 'hung_task')
    or e.kind = 'blocked_task'
    and not exists (from kernel_event h where h.kind = 'hung_task' and h.file_id = e.file_id)
