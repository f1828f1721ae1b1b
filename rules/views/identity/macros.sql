-- Who is who: rank, host, GPU, process and address, learnt from whatever lines say it. A GPU's PCI
-- address as dddd:bb:dd, also from the hex number that NCCL prints (4b000).
create macro gpu_address(said) as
    case
        when contains(said, ':')
        then pci_address(said)
        when regexp_matches(said, '^(?:0x)?[0-9a-fA-F]{3,9}$')
        then
            printf(
                '%04x:%02x:%02x',
                ('0x' || replace(said, '0x', ''))::bigint >> 20,
                (('0x' || replace(said, '0x', ''))::bigint >> 12) & 255,
                (('0x' || replace(said, '0x', ''))::bigint >> 4) & 255
            )
    end
;

-- The ranks of so many; none where no job can have so many: the number was damaged, and a list of
-- them would take all memory.
create macro ranks_below(n) as
    range(case when n between 1 and 1000000 then n else 0 end)
;

-- Numbers as people list them, `0-3, 6`: at most so many of one range.
create macro numbers_listed(said, longest) as
    flatten(
        list_transform(
            regexp_extract_all(said, '[0-9]{1,9}(?: ?- ?[0-9]{1,9})?'),
            lambda s: range(
                regexp_extract(s, '^[0-9]+')::bigint,
                least(
                    regexp_extract(s, '[0-9]+$')::bigint,
                    regexp_extract(s, '^[0-9]+')::bigint + longest - 1
                )
                + 1
            )
        )
    )
;
