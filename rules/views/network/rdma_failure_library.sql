-- table: One row per RDMA operation that failed, as a library below the job names it by a status of
-- its own: by the card's status, by the call of libibverbs, or in the library's words. What another
-- relation reads from the same line is left to it.
select
    f.library as source,
    s.ib_status as status,
    s.status_name,
    coalesce(s.meaning, f.meaning) as meaning,
    s.echo,
    f.peer,
    case when f.library = 'verbs' and f.ib_status is null then f.call end as verb,
    coalesce(f.text, f.name) as error,
    coalesce(f.host, m.host) as host,
    coalesce(f.rank, m.rank) as rank,
    f.pid,
    f.time,
    f.file_id,
    f.line_no
from library_failure f
left join ib_wc_status s using (ib_status)
-- MPI says who above the stack of its calls
asof left join
    (from library_message where library = 'mpi' and fatal and host is not null) m
    on m.file_id = f.file_id
    and m.line_no <= f.line_no
    and f.library = 'cxi'
where
    (f."class" = 'transport' or f.library = 'verbs' and not coalesce(s.echo, f.is_pinned))
    -- the library's words say what it was about
    and not exists (
        from library_trouble t
        where t.file_id = f.file_id and t.line_no = f.line_no and t."class" = 'device'
    )
    and not exists (from nccl_ofi_error o where o.file_id = f.file_id and o.line_no = f.line_no)
    and not exists (from rdma_failure_ucx o where o.file_id = f.file_id and o.line_no = f.line_no)
    and not exists (from nccl_ib_error o where o.file_id = f.file_id and o.line_no = f.line_no)
    and not exists (from metric_span m where m.file_id = f.file_id and m.last_line > f.line_no)
