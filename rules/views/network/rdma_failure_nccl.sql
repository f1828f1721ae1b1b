-- table: One row per RDMA operation that failed, as NCCL prints it: a work request that ended in
-- error (status), an event of the device (event), a call of libibverbs (verb, error).
with flap as (select host, hca from link_event where event = 'up')
select
    'nccl' as source,
    i.ib_status as status,
    s.status_name,
    s.meaning,
    s.echo,
    i.vendor_err,
    i.peer,
    i.hca,
    i.local_gid,
    i.remote_gid,
    i.host,
    i.pid,
    i.rank,
    i.device_hint,
    i.time,
    i.file_id,
    i.line_no
from nccl_ib_error i
left join ib_wc_status s using (ib_status)
where
    not coalesce(s.echo, false)
    or not exists (from nccl_ib_error o where o.ib_status is distinct from i.ib_status)
union all by name
select
    'nccl' as source,
    e.event,
    e.hca,
    e.host,
    e.pid,
    e.rank,
    e.device_hint,
    e.time,
    e.file_id,
    e.line_no
from nccl_ib_event e
join ib_event_type t on lower(e.event) in (lower(t.text), lower(t.other_text), lower(t.event_name))
where
    t.class = 'fatal'
    or t.class = 'port'
    and not exists (from flap f where f.host = e.host and f.hca is not distinct from e.hca)
union all by name
select
    'nccl' as source,
    verb,
    nullif(error, '') as error,
    regexp_extract(error, 'dev ([a-z0-9_]+)', 1) as hca,
    host,
    pid,
    rank,
    device_hint,
    time,
    file_id,
    line_no
from nccl_verbs_failure
where
    verb = 'ibv_modify_qp'
    and not contains(error, ', retrying ')
    -- without memory it is the limit of locked memory
    or verb = 'ibv_create_qp'
    and not regexp_matches(error, 'Cannot allocate memory|\b12\b')
    or verb like 'ibv_reg_mr%'
    and error <> ''
    and not regexp_matches(error, 'Cannot allocate memory|\b12\b')
union all by name
select
    library as source,
    -- what the card of this host is asked for before anything is sent
    nullif(
        regexp_extract(
            message,
            '\b(ibv_(?:open_device|alloc_pd|query_(?:device|port|gid)'
            || '|create_(?:cq|qp|srq|comp_channel)|reg_(?:dmabuf_)?mr)(?:_ex)?)\(',
            1
        ),
        ''
    ) as verb,
    case
        when verb is null
        then message
        else coalesce(nullif(regexp_extract(message, 'failed: (.+)$', 1), ''), message)
    end as error,
    device as hca,
    peer,
    host,
    pid,
    rank,
    device_hint,
    time,
    file_id,
    line_no
from communication_failure
where class in ('transport', 'time') and is_about_rdma(message, concat_ws(' ', library, source))
