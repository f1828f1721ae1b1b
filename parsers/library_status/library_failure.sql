-- table: One row per line that names a status of a library below the job (see library_status), in
-- any wording: its name, class (as in library_status) and meaning. ib_status: the completion status
-- of RDMA, where that is what was printed; is_pinned: memory for the network card was refused;
-- reached_program: the library did not retry by itself.
with
    spelling as (
        select distinct
            library, unnest([text, other_text]) as status_text, name, code, "class", meaning
        from library_status
        where text is not null
    )
select
    e.library,
    coalesce(s.name, t.name, e.status_name) as name,
    coalesce(s.code, t.code, e.status_code) as code,
    coalesce(e.status_text, s.text, t.status_text) as text,
    -- the service of a job answered, and told of a meeting of others
    case
        when e.library = 'grpc' and starts_with(e.call, 'Barrier ')
        then 'collective'
        -- it was never reached
        when e.library = 'grpc' and e.call = 'tpu_driver' and s.name = 'UNAVAILABLE'
        then 'unreachable'
        -- it was reached, and did not answer
        when e.library = 'grpc' and e.peer is not null and s.name = 'DEADLINE_EXCEEDED'
        then 'peer'
        else coalesce(s."class", t."class")
    end as "class",
    coalesce(s.meaning, t.meaning) as meaning,
    coalesce(case when e.library = 'verbs' then e.status_code end, w.ib_status) as ib_status,
    coalesce(s."class", t."class", '') = 'pinned'
    or e.library = 'verbs'
    and coalesce(e.status_text = 'Cannot allocate memory', false) as is_pinned,
    e.call,
    coalesce(e.peer, b.peer) as peer,
    coalesce(e.port, b.port) as port,
    coalesce(e.reached_program, false) as reached_program,
    e.host,
    coalesce(e.rank, b.rank) as rank,
    e.pid,
    e.time,
    e.file_id,
    e.line_no
from library_error e
left join
    library_status s
    on s.library = e.library
    and (s.name = e.status_name or e.status_name is null and s.code = e.status_code)
left join
    spelling t
    on e.status_name is null
    and e.status_code is null
    and t.library = e.library
    and lower(t.status_text) = lower(e.status_text)
left join
    ib_wc_status w
    on e.library = 'verbs'
    and (w.status_name = e.status_name or lower(w.text) = lower(e.status_text))
-- the other end in a line of its own
left join
    library_error b
    on e.peer is null
    and b.call = 'other end'
    and b.file_id = e.file_id
    and b.line_no = e.line_no + 1
where e.call is distinct from 'other end'
qualify
    row_number() over (
        partition by e.file_id, e.line_no, e.library order by t.code desc, e.peer is null
    )
    = 1
union all by name
select
    'hccl' as library,
    c.title as name,
    left(e.message, 200) as text,
    c."class",
    c.hccl_code as meaning,
    nullif(
        regexp_extract(e.message, 'remote_?[iI]p(?:_?[aA]ddr)?\[([0-9A-Fa-f.:]+)(?:/[0-9]+)?\]', 1),
        ''
    ) as peer,
    e.host,
    coalesce(e.rank, i.rank, p.rank) as rank,
    coalesce(e.pid, i.pid) as pid,
    e.time,
    e.file_id,
    e.line_no
from hccl_error e
join hccl_code c using (hccl_code)
-- torch_npu says whose process it is, in the line before or in an earlier one
left join
    identity i
    on i.learnt_from = 'torch_npu'
    and i.file_id = e.file_id
    and i.line_no = e.line_no - 1
left join
    (
        select file_id, pid, any_value(rank) as rank
        from identity
        where learnt_from = 'torch_npu'
        group by file_id, pid
    ) p
    on p.file_id = e.file_id
    and p.pid = e.pid
