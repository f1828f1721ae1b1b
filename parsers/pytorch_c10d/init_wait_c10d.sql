-- table: One row per file and way in which ranks waited for others before the first collective, and
-- gave up: stage = store | unique_id | gloo_connect | rendezvous. is_last_word: they were only
-- heard to wait, each once, at the very end of the log.
with
    still_waiting as (
        select w.file_id, count(*) = count(distinct w.group_rank) as is_last_word
        from c10d_store w
        join file f using (file_id)
        where w.event = 'waiting'
        group by w.file_id, f.lines
        having
            max(w.line_no) > f.lines - 3
            and count(*) > count(distinct w.group_rank)
            or max(w.line_no) = f.lines
            and count(distinct w.group_rank) > 1
    )
select
    list_distinct(
        list(coalesce(rank, group_rank)) filter (coalesce(rank, group_rank) is not null)
    ) as ranks,
    max(expected) as nranks,
    i.stage,
    any_value(host) as host,
    min(time) as time,
    arg_min(s.file_id, line_no) as file_id,
    min(line_no) as line_no,
    max(joined) as joined,
    max(coalesce(timeout_ms, timeout_seconds * 1000)) as timeout_ms,
    any_value(store_key) as store_key,
    min(awaited) as awaited,
    mode(trim(error)) filter (event = 'unique_id') as error,
    bool_and(coalesce(t.is_last_word, false)) as is_last_word
from c10d_store s
join init_stage i using (event)
left join still_waiting t on t.file_id = s.file_id and s.event = 'waiting' and s.joined < s.expected
where
    event in ('clients_missing', 'key_wait', 'unique_id', 'full_mesh_failed')
    or (event = 'rendezvous' and error = 'RendezvousTimeoutError')
    -- more than there are: the barrier counts up to the size of the group, and beyond it for ever
    or (event = 'waiting' and joined > expected)
    -- asked for twice by one rank, or by several: the log ends while they wait
    or t.file_id is not null
group by event, i.stage, s.file_id
