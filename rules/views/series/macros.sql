-- What sources that differ in numbers only have in common: they go on in each other (slurm-17.out
-- and slurm-18.out, version_0 and version_1, event files of one directory).
create macro source_family(source) as
    regexp_replace(
        regexp_replace(source, 'run-[0-9]{8}_[0-9]{6}-[a-z0-9]+', 'run-#', 'g'), '[0-9]+', '#', 'g'
    )
;
