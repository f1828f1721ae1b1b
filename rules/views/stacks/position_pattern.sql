-- table: Stack dumps: from frames of any tool to "where does each rank stand, and what does it wait
-- for". stack_symbol (names) -> stack_unit (threads of one dump) -> stack_position (a class per
-- thread) -> stack_dump (a row per dumped process) -> stack_main (the main thread of every dump,
-- with its rank) -> stack_rank (the last word on every rank). --- names ---------------------------
-- -------------------------------------------------------------------------------- position_class
-- with its alternatives taken apart. Order in the file decides between patterns of the same reach.
select p.nr, p.class, p.reach, p.awaits, f.unnest as function, s.unnest as source
from
    (select rowid as nr, * from position_class) as p,
    unnest(string_split(p.function, '|')) as f,
    unnest(string_split(p.source, '|')) as s
