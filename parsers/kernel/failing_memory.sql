-- table: One row per memory module with so many errors, all of them corrected, that it is failing:
-- errors = how many; within_a_day = in 24 hours (of lines without times: in all); limit_passed =
-- what counts them says so itself. Every healthy machine has some. mcelog.conf asks for a look
-- from 100 in 24 hours on (of a socket), or 10 (of a module); the latter counts here only where
-- the hardware had more than it could count, or where they come again: is_few, in so many reports
-- that it was no single burst.
with
    reported as (
        select
            *,
            case
                when module not in ('any memory', 'unknown memory', '') then module
            end as of_module,
            coalesce("time", try_cast(stamp as timestamp)) as happened,
            coalesce("count", 1) as errors
        from corrected_memory
    ),
    day as (
        select
            file_id,
            host,
            of_module,
            sum(errors) over last_day as errors,
            count(*) over last_day as reports,
            bool_or(overflow is not null) over last_day as overflowed
        from reported
        where kind = 'report'
        window
            last_day as (
                partition by file_id, host, of_module
                order by happened range between interval 24 hour preceding and current row
            )
    ),
    counted as (
        select
            file_id,
            host,
            of_module,
            max(errors) as errors,
            true as within_a_day,
            not bool_or(overflowed or errors >= 100) as is_few
        from day
        where
            errors >= 100 or errors >= 10 and (overflowed or reports >= 5 and of_module is not null)
        group by all
        union all by name
        -- since boot or longer: half of the servers with errors have less than ten a month, and
        -- few have hundreds (Meza et al., DSN 2015)
        select file_id, host, of_module, max(errors) as errors, false as within_a_day
        from reported
        where kind = 'total' and errors >= 1000
        group by all
        union all by name
        select
            file_id,
            host,
            of_module,
            max("count") as errors,
            true as within_a_day,
            true as limit_passed
        from reported
        where kind = 'limit'
        group by all
    ),
    most as (  -- several sources tell of one module
        select *
        from counted
        qualify
            row_number() over (
                partition by host, of_module
                order by within_a_day desc, errors desc nulls last, file_id
            )
            = 1
    )
select
    m.host,
    m.of_module as module,
    m.errors,
    m.within_a_day,
    coalesce(m.limit_passed, false) as limit_passed,
    coalesce(m.is_few, false) as is_few,
    min(r.happened) as "at",
    max(r.happened) as until,
    list(line_at(r.file_id, r.line_no) order by r.line_no)[:20] as evidence
from most m
join
    reported r
    on r.file_id = m.file_id
    and r.host is not distinct from m.host
    and r.of_module is not distinct from m.of_module
group by m.host, m.of_module, m.errors, m.within_a_day, m.limit_passed, m.is_few
