-- table: One row per exception in which a request to a service outside the cluster ended without a
-- word of whom it asked: the server that the client logged before, its service, and why it had to
-- ask again. Clients that share a connection close it for one another once it broke.
select
    e.file_id,
    e.line_no,
    r.server,
    (select min(s.service) from outside_service s where contains(r.tool, s.service)) as service,
    trim(r.error, '''') as error
from exception as e
asof left join
    (select * from transfer_failure where kind = 'retried') as r
    on r.file_id = e.file_id
    and e.traceback_line >= r.line_no
where
    e.final
    and (
        (
            starts_with(e.type, 'httpx.')
            or starts_with(e.message, 'Cannot send a request, as the client has been closed')
        )
        and regexp_matches(e.frames::varchar, 'huggingface_hub[/\\]')
        -- of a tracker, which has just said so
        or r.tool = 'wandb'
        and e.traceback_line - r.line_no <= 10
        and is_of_http(e.frames)
    )
