-- table: one row per process that the kernel's OOM killer killed: the victim's line joined with
-- what the report around it says.
with
    lines as (
        select
            *,
            coalesce(host, '') as h,
            lead(victim_pid) over w as next_pid,
            lead(total_vm_bytes) over w as next_vm,
            lead(line_no) over w as next_line,
            lag(what) over w as before_what,
            lag(total_vm_bytes) over w as before_vm,
            lag(line_no) over w as before_line
        from
            (
                from oom_victim
                union all by name
                -- a log that was cut behind the line that names the victim
                select
                    * exclude (constraint_kind, memcg, task_memcg, nodemask, mems_allowed),
                    case
                        when constraint_kind = 'CONSTRAINT_MEMCG'
                        then 'Memory cgroup out of memory'
                        when constraint_kind is not null
                        then 'Out of memory'
                        else 'Reaped'
                    end as what
                from oom_constraint c
                where
                    not exists (
                        from oom_victim v
                        where
                            v.file_id = c.file_id
                            and (
                                v.line_no > c.line_no
                                and v.line_no - c.line_no <= 4000
                                or v.victim_pid = c.victim_pid
                            )
                    )
                    -- the reaper speaks last
                    and (
                        constraint_kind is not null
                        or exists (from oom_report r where r.file_id = c.file_id)
                        and not exists (
                            from oom_constraint o
                            where
                                o.file_id = c.file_id
                                and o.victim_pid = c.victim_pid
                                and o.constraint_kind is not null
                        )
                    )
            )
        window w as (partition by file_id, host order by line_no)
    ),
    -- Old kernels print whom they would kill, then (perhaps a child) whom they did.
    victims as (
        select
            * exclude (what),
            case
                when what is null and before_vm is null and line_no - before_line <= 20
                then before_what
                else what
            end as what
        from lines
        where
            not (total_vm_bytes is null and next_vm is not null and next_line - line_no <= 20)
            and (what is not null or total_vm_bytes is not null)
    ),
    chosen as (
        select
            v.*,
            c.line_no as constraint_line,
            c.constraint_kind,
            case
                c.constraint_kind
                when 'CONSTRAINT_MEMORY_POLICY'
                then nullif(c.nodemask, '(null)')
                when 'CONSTRAINT_CPUSET'
                then c.mems_allowed
            end as numa_nodes,
            c.memcg as memcg,
            c.task_memcg,
            l.line_no as limit_line,
            l.used_bytes,
            l.limit_bytes,
            o.memcg as old_memcg,
            o.line_no as old_line,
            r.line_no as report_line,
            r.process as invoker
        from victims v
        asof left join
            (
                select *, coalesce(host, '') as h
                from oom_constraint
                where constraint_kind is not null
            ) c
            on c.file_id = v.file_id
            and c.h = v.h
            and c.victim_pid = v.victim_pid
            and v.line_no >= c.line_no
        asof left join
            (select *, coalesce(host, '') as h from oom_limit) l
            on l.file_id = v.file_id
            and l.h = v.h
            and v.line_no >= l.line_no
        asof left join
            (select *, coalesce(host, '') as h from oom_old_limit) o
            on o.file_id = v.file_id
            and o.h = v.h
            and v.line_no >= o.line_no
        asof left join
            (select *, coalesce(host, '') as h from oom_report) r
            on r.file_id = v.file_id
            and r.h = v.h
            and v.line_no >= r.line_no
    ),
    -- what comes before belongs to this kill unless it is far off, or older than the report's head
    scoped as (
        select
            * replace (
                case when line_no - report_line <= 4000 then report_line end as report_line,
                case
                    when
                        line_no - limit_line <= 4000
                        and limit_line
                        >= coalesce(case when line_no - report_line <= 4000 then report_line end, 0)
                    then limit_bytes
                end as limit_bytes,
                case
                    when line_no - constraint_line <= 4000 then constraint_kind
                end as constraint_kind,
                case when line_no - constraint_line <= 4000 then numa_nodes end as numa_nodes,
                case
                    when line_no - constraint_line <= 4000
                    then memcg
                    when line_no - old_line <= 4000 and old_line >= coalesce(report_line, 0)
                    then old_memcg
                end as memcg
            )
        from chosen
    ),
    judged as (
        select
            *,
            case
                when constraint_kind = 'CONSTRAINT_MEMCG' or what like 'Memory cgroup%'
                then 'cgroup'
                when constraint_kind is not null
                then 'host'
                when memcg is not null
                then 'cgroup'
                when what like 'Out of memory%'
                then 'host'
                -- the lines that tell the machine from a cgroup were cut off
                else 'unknown'
            end as scope
        from scoped
    ),
    tasks as (
        select
            t.file_id,
            t.report_line,
            coalesce(t.host, '') as h,
            list(
                {'process':process, 'pid':task_pid, 'rss_pages':rss_pages} order by rss_pages desc
            ) as tasks
        from oom_task t
        group by all
    ),
    known as (
        select
            j.* exclude (h),
            t.tasks,
            list_filter(t.tasks, lambda x:x.pid = j.victim_pid)[1].rss_pages as table_rss_pages
        from judged j
        left join tasks t on t.file_id = j.file_id and t.report_line = j.report_line and t.h = j.h
    )
select
    file_id,
    line_no,
    time,
    time_quality,
    uptime_seconds,
    host,
    rank,
    pid,
    stream,
    scope,
    victim_pid,
    process,
    uid,
    what,
    constraint_kind,
    numa_nodes,
    memcg,
    task_memcg,
    invoker,
    total_vm_bytes,
    anon_rss_bytes,
    file_rss_bytes,
    shmem_rss_bytes,
    case
        when limit_bytes < 1125899906842624 and scope = 'cgroup' then limit_bytes
    end as limit_bytes,
    report_line,
    case when line_no - constraint_line <= 4000 then constraint_line end as constraint_line,
    limit_line,
    table_rss_pages,
    tasks[:5] as top_tasks,
    list_sum(list_transform(tasks, lambda t:t.rss_pages))::bigint as all_rss_pages,
    -- The table counts pages, the victim's line kB: their ratio is the machine's page size (64
    -- KiB on many arm64 hosts).
    case
        when table_rss_pages > 1000 and anon_rss_bytes > 0
        then
            case
                when
                    (anon_rss_bytes + file_rss_bytes + coalesce(shmem_rss_bytes, 0))
                    / table_rss_pages
                    > 32768
                then 65536
                when
                    (anon_rss_bytes + file_rss_bytes + coalesce(shmem_rss_bytes, 0))
                    / table_rss_pages
                    > 8192
                then 16384
                else 4096
            end
    end as page_bytes,
    regexp_matches(
        process,
        '^(cc1(plus|obj)?|cicc|ptxas|cudafe\+\+|nvcc|nvlink|fatbinary|ld(\.(bfd|gold|lld))?|lld'
        || '|mold|lto1(-.*)?|rustc|collect2|clang(\+\+)?(-[0-9]+)?|as|hipcc|icpx|dpcpp)$'
    ) as is_compiler
from known
