-- table: The dump that counts for each rank: pickle and JSON of one process hold the same, and a
-- restarted job leaves older ones. Dumps of a recorder that was off say nothing and are left out.
select * exclude nth
from
    (
        select
            *,
            row_number() over (
                partition by rank
                order by
                    entries > 0 desc,
                    format = 'pickle' desc,
                    complete desc,
                    time desc nulls last,
                    file_id
            ) as nth
        from flight_dump
        where rank is not null and recorder_on
    )
where nth = 1
