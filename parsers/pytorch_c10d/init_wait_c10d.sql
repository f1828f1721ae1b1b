-- table: One row per file and way in which ranks waited for others before the first collective, and
-- gave up: stage = store | unique_id | gloo_connect | rendezvous.
with
    still_waiting as (
        select w.file_id
        from c10d_store w
        join file f using (file_id)
        where w.event = 'waiting'
        group by w.file_id, f.lines
        having max(w.line_no) > f.lines - 3 and count(*) > count(distinct w.group_rank)
    )
select
    list_distinct(
        list(coalesce(rank, group_rank)) filter (coalesce(rank, group_rank) is not null)
    ) as ranks,
    max(expected) as nranks,
    i.stage,
    any_value(host) as host,
    min(time) as time,
    arg_min(file_id, line_no) as file_id,
    min(line_no) as line_no,
    max(joined) as joined,
    max(coalesce(timeout_ms, timeout_seconds * 1000)) as timeout_ms,
    any_value(store_key) as store_key,
    min(awaited) as awaited,
    mode(trim(error)) filter (event = 'unique_id') as error
from c10d_store s
join init_stage i using (event)
where
    event in ('clients_missing', 'key_wait', 'unique_id', 'full_mesh_failed')
    or (event = 'rendezvous' and error = 'RendezvousTimeoutError')
    -- more than there are: the barrier counts up to the size of the group, and beyond it for ever
    or (event = 'waiting' and joined > expected)
    -- asked for twice by one rank, with nothing after it: the log ends while they wait
    or (event = 'waiting' and joined < expected and file_id in (select file_id from still_waiting))
group by event, i.stage, file_id
