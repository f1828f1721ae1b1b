-- view: one row per piece of a segment, in the shape that `logsift plot --extents` draws: states
-- in the order of their numbers from dark to light, the largest free piece marked.
select
    b.file_id,
    b.line_no,
    f.path || ', GPU ' || s.gpu_index as picture,
    case when s.private_pool then 'pool of a graph ' else '' end || s.start_address as lane,
    sum(b.size_bytes) over (
        partition by b.file_id, b.segment_line order by b.line_no rows unbounded preceding
    )::bigint
    - b.size_bytes as start_bytes,
    b.size_bytes,
    case
        b.state
        when 'active_allocated'
        then 1
        when 'inactive'
        then case when s.blocks = 1 then 4 else 3 end
        else 2
    end as state_no,
    ['in use', 'waits for a stream', 'free between tensors', 'free, can be given back'][
        state_no
    ] as state,
    b.state = 'inactive'
    and not s.private_pool
    and b.size_bytes = max(s.largest_free_bytes) filter (not s.private_pool) over (
        partition by b.file_id, s.gpu_index
    ) as marked
from memory_block b
join memory_segment s on s.file_id = b.file_id and s.line_no = b.segment_line
join file f on f.file_id = b.file_id
