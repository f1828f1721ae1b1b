-- table: one row per alternative of position_class: the globs taken apart. nr, its place in the
-- file, decides between patterns of the same reach. From frames of any tool to where each rank
-- is: stack_symbol (names) -> stack_unit (threads of one dump) -> stack_position (a class per
-- thread) -> stack_dump (a row per dumped process) -> stack_main (with its rank) -> stack_rank
-- (the last word on every rank) -> stack_finding.
select p.nr, p.class, p.reach, p.awaits, f.unnest as function, s.unnest as source
from
    (select rowid as nr, * from position_class) as p,
    unnest(string_split(p.function, '|')) as f,
    unnest(string_split(p.source, '|')) as s
