-- table: What the last dumps of all ranks say together. Being elsewhere is no incident: the others
-- must wait, and nothing may have moved between two snapshots. One row per job at most; the rules
-- divergence.stack, hang.dataloader, hang.checkpoint and the view missing_rank_stacks read it. Is a
-- dump the second look at its process? People take the text and the JSON of one moment: those are
-- one look, unless their times tell.
select dump, bool_or(again) over (partition by process order by snapshot) as seen_before
from
    (
        select
            dump,
            process,
            snapshot,
            coalesce(
                row_number() over (partition by process, is_json order by snapshot) > 1
                or time - lag(time) over (partition by process order by snapshot)
                >= interval 5 second,
                false
            ) as again
        from stack_main
        where failure is null
    )
