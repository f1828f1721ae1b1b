-- table: One row per log of one of several jobs whose logs lie in one folder, as its path tells;
-- kind says by what: the number of a batch system, the run of a tracker, the version of a logger.
-- Runs of a tracker that began within two minutes of each other may be processes of one job.
with
    named as (
        select
            file_id,
            regexp_extract(path, '^(.*)[.](?:out|err)$', 1) as stem,
            -- slurm-81.out, train.o8123
            coalesce(
                nullif(
                    regexp_extract(
                        path, '(?:^|/)slurm(?:[^/]*[-_.])?([0-9]{2,10})(?:[-_.][^/]*)?$', 1
                    ),
                    ''
                ),
                nullif(regexp_extract(path, '[.][oe]([0-9]{3,10})(?:[-.][0-9]+)?$', 1), '')
            ) as number,
            -- train_812345.out: as likely a process's, where it has no .err
            nullif(
                regexp_extract(path, '[-_.]([0-9]{6,10})(?:_[0-9]+)?[.](?:out|err)$', 1), ''
            ) as number_of_pair,
            try_strptime(
                regexp_extract(path, '(?:^|/)run-([0-9]{8}_[0-9]{6})-[a-z0-9]+/', 1),
                '%Y%m%d_%H%M%S'
            ) as tracked_at,
            nullif(regexp_extract(path, '^((?:.*/)?version_[0-9]+)/', 1), '') as version
        from file
    ),
    paired as (
        select *, count(*) over (partition by stem) > 1 and number_of_pair is not null as is_pair
        from named
    ),
    tracked as (
        select
            file_id,
            tracked_at,
            coalesce(
                tracked_at - lag(tracked_at) over (order by tracked_at, file_id)
                > interval 2 minute,
                false
            ) as is_later
        from named
        where tracked_at is not null
    )
select file_id, 'number' as kind, coalesce(number, number_of_pair) as job
from paired
where number is not null or is_pair
union all
select file_id, 'run', count_if(is_later) over (order by tracked_at, file_id)::varchar
from tracked
union all
select file_id, 'version', version
from named
where version is not null
