-- table: One row per RDMA operation that failed, as UCX prints it: by the syndrome of the card, or
-- by the words of libibverbs for the status.
with
    completion as (
        select c.*, y.ib_status
        from ucx_completion c
        -- 0x5 and 0x15, or two digits where the card's own report is printed
        left join
            ib_syndrome y on y.syndrome = '0x' || ltrim(regexp_replace(c.syndrome, '^0x', ''), '0')
        where not coalesce(regexp_matches(c.syndrome, '^(?:0x)?0*5$'), false)
        union all by name
        select r.* exclude (machine), 'completion with error' as message
        from ucx_report r
        where
            not exists (
                from ucx_completion c
                where c.file_id = r.file_id and c.line_no - r.line_no between 1 and 8
            )
            and not exists (
                from metric_span m where m.file_id = r.file_id and m.last_line > r.line_no
            )
        union all by name
        select c.*, s.ib_status
        from ucx_verbs_completion c
        left join ib_wc_status s on starts_with(lower(c.message), lower(s.text))
        where c.message not ilike '%flush%'
    )
select
    'ucx' as source,
    s.ib_status as status,
    s.status_name,
    s.meaning,
    c.message as error,
    try_cast('0x' || regexp_replace(c.vendor_err_hex, '^0x', '') as bigint) as vendor_err,
    c.hca,
    -- the request that it is about is printed below
    (
        select arg_min(coalesce(r.peer, 'LID ' || r.lid), r.line_no)
        from ucx_request r
        where
            r.file_id = c.file_id
            and r.line_no - c.line_no between 1 and 3
            and r.pid is not distinct from c.pid
    ) as peer,
    c.host,
    c.pid,
    c.rank,
    c.time,
    c.file_id,
    c.line_no
from completion c
left join ib_wc_status s using (ib_status)
