-- table: one row per bout of the OOM killer: its kills of one scope without a gap of ten minutes,
-- on any number of hosts; the same kill in two logs counts once. The columns of oom_kill are those
-- of the first kill. `lines`: where each kill is; `evidence`: these, with what the report of the
-- first says around it; `top_holders`: the processes with most memory; `victim_pids` where several.
with
    kill as (
        select
            *,
            coalesce(epoch(time), uptime_seconds, 0) as t,
            row_number() over (
                partition by victim_pid, process, anon_rss_bytes, scope
                order by report_line is null, file_id, line_no
            ) as nth_copy
        from oom_kill
        where scope is not null
    ),
    numbered_kill as (
        select
            *,
            sum(new::int) over (
                partition by scope, is_compiler order by t, file_id, line_no
            ) as bout
        from
            (
                select
                    *,
                    coalesce(
                        t
                        - lag(t) over (partition by scope, is_compiler order by t, file_id, line_no)
                        > 600,
                        true
                    ) as new
                from kill
                where nth_copy = 1
            )
    ),
    first_kill as (
        select
            *,
            row_number() over (
                partition by scope, is_compiler, bout
                order by
                    what is not distinct from 'Out of memory, says the kubelet', t, file_id, line_no
            ) as nth
        from numbered_kill
    ),
    whole as (
        select
            scope,
            is_compiler,
            bout,
            count(distinct(coalesce(host, ''), victim_pid)) as victims,
            list_sort(list(distinct victim_pid)) as victim_pids,
            max(limit_bytes) as any_limit_bytes,
            min(memcg) as any_memcg,
            list_sort(list(distinct host) filter (host is not null)) as hosts,
            min(time) as first_time,
            max(time) as last_time,
            list(line_at(file_id, line_no) order by t, file_id, line_no)[:20] as lines,
            list_distinct(
                list(
                    coalesce(
                        (
                            select min(i.rank)
                            from identity i
                            where
                                i.pid = victim_pid
                                and (i.host = b.host or i.host is null or b.host is null)
                        ),
                        r.rank
                    )
                )
            ) as ranks
        from numbered_kill b
        left join killed_rank r using (file_id, line_no)
        group by all
    )
select
    l.* exclude (scope, is_compiler, bout, top_tasks) replace (
        coalesce(l.limit_bytes, t.any_limit_bytes) as limit_bytes,
        coalesce(l.memcg, t.any_memcg) as memcg
    ),
    t.* exclude (any_limit_bytes, any_memcg) replace (
        case when t.victims > 1 then t.victim_pids end as victim_pids
    ),
    list_concat(
        list_filter(
            [
                line_at(l.file_id, l.line_no),
                line_at(l.file_id, l.constraint_line),
                line_at(
                    l.file_id,
                    case
                        when coalesce(l.limit_bytes, t.any_limit_bytes) is not null
                        then l.limit_line
                    end
                ),
                line_at(l.file_id, l.report_line)
            ],
            lambda e:e.line_no is not null
        ),
        t.lines
    ) as evidence,
    l.anon_rss_bytes + coalesce(l.shmem_rss_bytes, 0) as resident_bytes,
    list_transform(
        l.top_tasks,
        lambda x: {
            'process':x.process,
            'pid':x.pid,
            'resident_bytes':x.rss_pages * coalesce(l.page_bytes, 4096)
        }
    ) as top_holders
from first_kill l
join whole t using (scope, is_compiler, bout)
where l.nth = 1
