-- table: One row per RDMA operation that failed, as UCX prints it: by the syndrome of the card, or
-- by the words of libibverbs for the status.
-- only with ucx_completion, ucx_verbs_completion
select
    'ucx' as source,
    s.ib_status as status,
    s.status_name,
    s.meaning,
    c.message as error,
    try_cast(c.vendor_err_hex as bigint) as vendor_err,
    c.hca,
    c.host,
    c.pid,
    c.rank,
    c.time,
    c.file_id,
    c.line_no
from ucx_completion c
left join ib_syndrome y using (syndrome)
left join ib_wc_status s using (ib_status)
where c.syndrome <> '0x5'
union all by name
select
    'ucx' as source,
    s.ib_status as status,
    s.status_name,
    s.meaning,
    c.message as error,
    try_cast(c.vendor_err_hex as bigint) as vendor_err,
    c.host,
    c.pid,
    c.rank,
    c.time,
    c.file_id,
    c.line_no
from ucx_verbs_completion c
left join
    ib_wc_status s
    on s.status_name = case
        when c.message ilike '%transport retry%'
        then 'RETRY_EXC_ERR'
        when c.message ilike '%rnr%'
        then 'RNR_RETRY_EXC_ERR'
        when c.message ilike 'remote access%'
        then 'REM_ACCESS_ERR'
        when c.message ilike 'remote op%'
        then 'REM_OP_ERR'
        when c.message ilike 'local length%'
        then 'LOC_LEN_ERR'
        when c.message ilike 'local prot%'
        then 'LOC_PROT_ERR'
        when c.message ilike 'local qp%'
        then 'LOC_QP_OP_ERR'
    end
where c.message not ilike '%flush%'
