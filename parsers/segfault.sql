-- One row per program killed by a fault: the same line logged twice (kernel ring and syslog) is one.
CREATE VIEW fault AS
SELECT process, pid, any_value(host) AS host, min(time) AS time, any_value(what) AS what, any_value(fault_address) AS fault_address,
       any_value(error_code) AS error_code, any_value(library) AS library,
       '0x' || lower(to_hex(any_value(coalesce(library_offset, instruction - library_base)))) AS library_offset,
       CASE WHEN any_value(what) LIKE 'trap invalid opcode%' THEN 'SIGILL' WHEN any_value(what) LIKE 'trap divide%' THEN 'SIGFPE'
            WHEN any_value(what) LIKE 'trap int3%' OR any_value(what) LIKE '%undefined instruction%' THEN 'SIGTRAP' ELSE 'SIGSEGV' END AS signal_name,
       min_by(file_id, line_no) AS file_id, min(line_no) AS line_no
FROM segfault GROUP BY process, pid;

COMMENT ON VIEW fault IS 'one row per program the kernel killed for a fault of its own, with the library and the offset in it';
