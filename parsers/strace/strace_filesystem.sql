-- table: one row per path of which statfs told the file system.
select
    trace,
    path,
    any_value(
        case
            f_type
            when 'LL'
            then 'lustre'
            when 'GPFS'
            then 'gpfs'
            when 'EXT2'
            then 'ext4'
            else lower(f_type)
        end
    ) as filesystem
from
    (
        select
            l.trace,
            rtrim(coalesce(strace_path(l.syscall, l.args), strace_fd_is(l.args)), '/') as path,
            coalesce(
                nullif(regexp_extract(l.args, 'f_type=([A-Z0-9]+?)_?(?:SUPER_)?MAGIC', 1), ''),
                case
                    when contains(l.args, 'f_type=0x47504653')
                    then 'GPFS'
                    when contains(l.args, 'f_type=0xbd00bd0')
                    then 'LL'
                end
            ) as f_type
        from strace_notable l
        where l.syscall in ('statfs', 'fstatfs') and l.result = '0'
    )
where path[1] = '/' and f_type is not null
group by all
