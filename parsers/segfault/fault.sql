-- table: One row per program that the kernel killed for a fault of its own, with the library and
-- the offset in it: the same line logged twice (kernel ring and syslog) is one.
select
    process,
    pid,
    any_value(host) as host,
    min(time) as time,
    any_value(what) as what,
    any_value(fault_address) as fault_address,
    any_value(error_code) as error_code,
    any_value(library) as library,
    '0x' || lower(
        to_hex(any_value(coalesce(library_offset, instruction - library_base)))
    ) as library_offset,
    case
        when any_value(what) like 'trap invalid opcode%'
        then 'SIGILL'
        when any_value(what) like 'trap divide%'
        then 'SIGFPE'
        when any_value(what) like 'trap int3%' or any_value(what) like '%undefined instruction%'
        then 'SIGTRAP'
        else 'SIGSEGV'
    end as signal_name,
    min_by(file_id, line_no) as file_id,
    min(line_no) as line_no
from segfault
group by process, pid
