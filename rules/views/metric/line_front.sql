-- table: One row per line that has a phase of validation or a rank in front of its step.
from
    (
        select
            rowid as line_id,
            file_id,
            stream,
            trainer,
            coalesce(phase, phase_before(lead)) as phase,
            try_cast(
                case
                    when lead ilike '%rank%'
                    then
                        regexp_extract(
                            lead, '(?i)(?:^|[^a-z])rank[ :=_#-]{0,2}([0-9]{1,6})(?:[^0-9.]|$)', 1
                        )
                    when trainer in ('epochs', 'generic') and fields[:8] ilike '%rank%'
                    then regexp_extract(fields, '^[ ,|]*[Rr]ank[ :=]{1,2}([0-9]{1,6})[ ,|]', 1)
                end as bigint
            ) as rank
        from training_line
    )
where phase ~* '^(val|eval|test)' or rank is not null
