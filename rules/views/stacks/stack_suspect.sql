-- table: one row per process that stands apart from the others, by what stack_finding found.
select r.*, false as left_loop
from stack_finding as f
cross join stack_rank as r
left join stack_place as m on m.is_mass
where
    f.found = 'failed'
    and (r.failed or f.soft = 0 and not r.peer)
    or f.found = 'hard'
    and not r.peer
    or f.found = 'mass'
    and (r.place <> m.place or r.class <> m.class)
union all by name
select e.* exclude (crowd_function, crowd_path, may_be_root)
from stack_elsewhere as e
join stack_finding as f on f.found = 'other'
union all by name
select 'rank ' || a.rank as process, a.rank, a.pid, a.host, 'absent' as failure
from stack_absent as a
join stack_finding as f on f.found = 'absent'
