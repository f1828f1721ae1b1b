-- table: One row per process that printed an error of the GPU runtime: its first; later ones repeat
-- it, because the context is lost with the first. Left out: versions that do not fit where env's
-- rule reads the log's words for it, quoted out-of-memory messages, and what says only that a graph
-- was being captured while another error is known or no exception shows it, and warnings that the
-- program did not fail by.
with
    candidate as (
        select *
        from cuda_error c
        where
            not (
                kind = 'incompatible' and exists (from mismatch_line m where m.file_id = c.file_id)
            )
            and not (kind = 'oom' and said_as in ('quoted', 'exception'))
            and (
                said_as <> 'warning'
                or exists (from exception x where x.file_id = c.file_id and x.line_no > c.line_no)
                -- the log ends soon after it
                or exists (from file as f where f.file_id = c.file_id and f.lines - c.line_no <= 20)
            )
            -- HCCL's own code tells which wait timed out
            and not (api = 'acl' and exists (from hccl_error))
            -- while a graph is captured every other failure says so too; by itself it is the
            -- program's: a call that a capture does not allow
            and not (
                kind = 'capture'
                and (
                    exists (from cuda_error o where o.kind not in ('capture', 'incompatible'))
                    or exists (from oom_event)
                    or not exists (
                        from exception x
                        where
                            x.file_id = c.file_id
                            and c.line_no between x.line_no - 1 and x.line_no + 3
                    )
                )
            )
    ),
    first_error as (
        select *
        from candidate
        qualify row_number() over (partition by file_id, stream order by line_no) = 1
    ),
    only_rank as (  -- where one rank alone tells of an error
        select file_id, stream, name, min(rank) as rank
        from cuda_error
        where rank is not null
        group by all
        having count(distinct rank) = 1
    )
select f.* replace (coalesce(f.rank, o.rank) as rank)
from first_error f
left join
    only_rank o
    on o.file_id = f.file_id
    and o.name = f.name
    and o.stream is not distinct from f.stream
