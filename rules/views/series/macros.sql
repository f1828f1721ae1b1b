-- What sources that differ in numbers only have in common: they go on in each other (slurm-17.out
-- and slurm-18.out, version_0 and version_1, event files of one directory).
create macro source_family(source) as
    regexp_replace(
        regexp_replace(source, 'run-[0-9]{8}_[0-9]{6}-[a-z0-9]+', 'run-#', 'g'), '[0-9]+', '#', 'g'
    )
;

-- the name that a log had before its program put it away under a number or a date
create macro name_before_rotation(source) as
    regexp_replace(
        source, '[.]([0-9]{1,3}|[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9_-]*)([.][a-z]+)?$', '\2'
    )
;

-- the id that a tracker gave a run, as the folder of its files has it, NULL where it has none
create macro tracked_run(source) as
    nullif(regexp_extract(source, 'run-[0-9]{8}_[0-9]{6}-([a-z0-9]+)', 1), '')
;
