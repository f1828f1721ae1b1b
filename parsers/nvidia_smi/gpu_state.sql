-- table: One row per value of nvidia-smi -q with its verdict: uncorrectable (errors since the last
-- reset) | replace (repairs failed, or none are left) | recovery (a reset is asked for) | throttled
-- (now) | pending (a repair); NULL is well. Corrected errors, and counts over the whole life of the
-- card (Aggregate), are no news.
select
    s.file_id,
    s.line_no,
    s.time,
    s.host,
    pci_address(s.gpu) as gpu,
    s.section,
    s.key,
    s.value,
    case
        when
            s.section = 'Volatile'
            and (
                s.key like 'DRAM Uncorrectable%'
                or s.key like 'SRAM Uncorrectable%'
                or s.key = 'Double Bit'
            )
            and try_cast(s.value as bigint) > 0
        then 'uncorrectable'
        when s.key in ('Remapping Failure Occurred', 'Unrepairable Memory') and s.value = 'Yes'
        then 'replace'
        when
            s.section like 'Bank Remap%'
            and s.key = 'None'
            and try_cast(split_part(s.value, ' ', 1) as bigint) > 0
        then 'replace'
        when s.key = 'SRAM Threshold Exceeded' and s.value = 'Yes'
        then 'replace'
        when s.key = 'GPU Recovery Action' and s.value not in ('None', 'N/A')
        then 'recovery'
        when
            s.key in ('HW Thermal Slowdown', 'SW Thermal Slowdown', 'HW Power Brake Slowdown')
            and s.value = 'Active'
        then 'throttled'
        when
            s.key
            in ('Pending', 'Pending Page Blacklist', 'Channel Repair Pending', 'TPC Repair Pending')
            and s.value = 'Yes'
        then 'pending'
    end as verdict
from smi_value s
