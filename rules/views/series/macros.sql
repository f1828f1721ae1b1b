-- Which curves the engine's search looks at, what drives them, and where they were restarted; and
-- its findings with their context. Sources that differ in numbers only (slurm-17.out and
-- slurm-18.out, version_0 and version_1, event files of one directory) go on in each other.
create macro source_family(source) as
    regexp_replace(
        regexp_replace(source, 'run-[0-9]{8}_[0-9]{6}-[a-z0-9]+', 'run-#', 'g'), '[0-9]+', '#', 'g'
    )
;
