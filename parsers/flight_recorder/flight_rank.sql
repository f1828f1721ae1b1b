-- table: One row per rank: the Flight Recorder dump of it that counts. Pickle and JSON of one
-- process hold the same, and a restarted job leaves older ones. Dumps of a recorder that was off
-- say nothing and are left out.
select *
from flight_dump
where rank is not null and recorder_on
qualify
    row_number() over (
        partition by rank
        order by
            entries > 0 desc, format = 'pickle' desc, complete desc, time desc nulls last, file_id
    )
    = 1
