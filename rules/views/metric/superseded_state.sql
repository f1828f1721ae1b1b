-- view: One row per file of a Hugging Face checkpoint whose history a longer one repeats: every
-- checkpoint holds the history up to it.
select file_id
from
    (
        select
            c.file_id,
            regexp_replace(f.path, '(^|/)checkpoint-[0-9]+/', '\1') as run,
            sum(points) as n
        from metric_curve c
        join file f using (file_id)
        where f.grammar = 'trainer_state'
        group by all
    )
qualify row_number() over (partition by run order by n desc, file_id) > 1
