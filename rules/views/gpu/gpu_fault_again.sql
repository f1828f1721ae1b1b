-- table: One row per GPU and Xid 13 or 31 that came in three bursts or more, where that tells of
-- the GPU: always in the same unit of it (place), or under whatever program runs there (programs).
with
    repeated as (
        select machine, gpu, root_code as code
        from gpu_burst
        where root_code in (13, 31)
        group by all
        having count(*) >= 3
    ),
    fault_line as (
        select
            r.machine,
            r.gpu,
            r.code,
            regexp_replace(x.process, '[0-9:_-]+$', '') as program,
            nullif(
                regexp_extract(
                    x.message,
                    case
                        x.code
                        when 13
                        then '\((GPC [0-9]+, TPC [0-9]+(?:, SM [0-9]+)?)\)'
                        else 'ENGINE [A-Z0-9]+ ((?:GPC[0-9]+ )?[A-Z]*CLIENT_[A-Z0-9_]+)'
                    end,
                    1
                ),
                ''
            ) as place
        from xid_line x
        join kernel_file f using (file_id)
        join
            repeated r
            on r.machine = coalesce(x.host, f.otherwise)
            and r.gpu = pci_address(x.gpu)
            and r.code = x.code
    )
select
    machine,
    gpu,
    code,
    case when count(distinct place) = 1 then any_value(place) end as place,
    list_sort(list(distinct program) filter (program is not null)) as programs
from fault_line
group by all
having count(distinct place) = 1 or count(distinct program) > 2
