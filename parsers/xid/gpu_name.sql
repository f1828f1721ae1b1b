-- table: One row per GPU of a machine with what the driver prints before its first Xid: UUID and
-- board serial; a serial without an address belongs to the UUID line before it.
with
    uuid_line as (
        select i.file_id, i.line_no, i.host, f.otherwise, pci_address(i.gpu) as gpu, i.gpu_uuid
        from identity i
        join kernel_file f using (file_id)
        where i.gpu is not null and i.gpu_uuid is not null
    )
select
    coalesce(u.host, u.otherwise) as machine,
    u.gpu,
    any_value(u.gpu_uuid) as gpu_uuid,
    any_value(s.serial) as serial,
    min(u.file_id) as file_id,
    min(u.line_no) as line_no
from uuid_line u
left join
    nvrm_event s
    on s.file_id = u.file_id
    and s.kind = 'serial'
    and s.gpu is null
    and s.line_no between u.line_no + 1 and u.line_no + 2
    and not exists (
        select 1
        from uuid_line o
        where
            o.file_id = u.file_id
            and o.gpu <> u.gpu
            and o.line_no between u.line_no - 1 and s.line_no
            and o.line_no <> u.line_no
    )
group by all
union all
select
    coalesce(s.host, f.otherwise),
    pci_address(s.gpu),
    null,
    any_value(s.serial),
    min(s.file_id),
    min(s.line_no)
from nvrm_event s
join kernel_file f using (file_id)
where s.kind = 'serial' and s.gpu is not null
group by all
