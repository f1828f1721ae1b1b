-- PCI address as dddd:bb:dd: nvidia-smi prints eight digits of domain, capitals and a function;
-- drivers four and none.
create macro pci_address(printed) as
    (
        case
            when length(regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g')) = 5
            then '0000:' || regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g')
            else
                regexp_replace(
                    regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g'),
                    '^[0-9a-f]+([0-9a-f]{4}:)',
                    '\1'
                )
        end
    )
;

-- Xid 144 to 150 print `UNIT Fatal|Nonfatal XC0|XC1 i0|i1 Link n (intr_info error_status ...)`, or
-- a text of an older driver.
create macro nvlink5_pieces(message) as
    regexp_extract(
        message,
        '^([A-Z0-9_]+(?:/[A-Z0-9_]+)?) +(Fatal|FATAL|Nonfatal|NonFatal|Non-[Ff]atal)'
        || ' +(XC[0-9])? *(i[0-9])? *Link +(-?[0-9]+) *[(](0x[0-9a-fA-F]+) +(0x[0-9a-fA-F]+)',
        ['unit', 'word', 'contained', 'injected', 'link', 'intr_info', 'error_status']
    )
;

-- Why a link went down, out of the interrupt information of NETIR_LINK units.
create macro nvlink5_reason(intr_info) as
    (try_cast(intr_info as bigint) >> 20) & 63
;
