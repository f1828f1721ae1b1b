-- table: Processes as ps and /proc/PID/stack show them, with what the kernel function they wait in
-- belongs to. Processes that wait in the kernel, or are stopped, with the function they wait in and
-- what it belongs to.
with
    top as (
        select k.*, f.path
        from kernel_stack as k
        join file as f using (file_id)
        qualify
            coalesce(
                k.line_no
                <> lag(k.line_no) over (partition by k.file_id, k.stream order by k.line_no) + 1,
                true
            )
    ),
    named as (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.rank,
            t.kernel_function,
            coalesce(
                case when t.line_no - o.line_no <= 2 then o.pid end,
                case when t.line_no - m.line_no <= 3 then m.pid end,
                try_cast(nullif(regexp_extract(t.path, '([0-9]{3,8})[^0-9/]*$', 1), '') as bigint)
            ) as pid
        from top as t
        asof left join kernel_stack_of as o on o.file_id = t.file_id and t.line_no >= o.line_no
        asof left join
            (
                select file_id, line_no, pid
                from stack_mark
                where pid is not null
                union all
                select file_id, line_no, pid
                from stack_process
                where pid is not null
            ) as m
            on m.file_id = t.file_id
            and t.line_no >= m.line_no
    ),
    every as (
        select
            file_id,
            line_no,
            host,
            rank,
            pid,
            left(state, 1) as state,
            nullif(nullif(kernel_function, '-'), '?') as kernel_function,
            cmdline
        from process_state
        where pid is not null
        union all by name
        select file_id, line_no, host, rank, pid, kernel_function
        from named
        where pid is not null
    )
select
    *,
    case
        when state = 'T' or regexp_matches(kernel_function, '^(?:do_signal_stop|do_jobctl_trap)')
        then 'stopped'
        when coalesce(state, 'D') = 'D'
        then
            case
                when regexp_matches(kernel_function, '^_?_?(?:nfs|rpc_|xprt_)')
                then 'NFS'
                when
                    regexp_matches(
                        kernel_function, '^_?_?(?:ll_|cl_|osc_|ptlrpc|ldlm|mdc_|lov_|lu_|obd_)'
                    )
                then 'Lustre'
                when regexp_matches(kernel_function, 'fuse|request_wait_answer')
                then 'a FUSE file system'
                when regexp_matches(kernel_function, 'ceph')
                then 'Ceph'
                when regexp_matches(kernel_function, 'gpfs|mmfs|cxiWait')
                then 'GPFS'
                when
                    regexp_matches(
                        kernel_function, 'percpu_rwsem_wait|percpu_down|sb_start|sb_wait'
                    )
                then 'a frozen file system'
                when
                    regexp_matches(
                        kernel_function, '^(?:_?nv|rm_|uvm_|os_(?:acquire|cond|delay))|nvidia'
                    )
                then 'the NVIDIA driver'
                when
                    regexp_matches(
                        kernel_function,
                        'jbd2|ext4|xfs|btrfs|io_schedule|wait_on_(?:page|bit|buffer)|folio_wait|blk_|bio_|submit_bio|rq_qos|writeback|balance_dirty'
                    )
                then 'a block device'
            end
    end as waits_on
from every
