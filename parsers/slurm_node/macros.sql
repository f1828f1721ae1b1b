-- Nodes as Slurm prints them, ranges and all, as a list: mesa-[1-3,7],x4 -> mesa-1, mesa-2, mesa-3,
-- mesa-7, x4.
create macro node_names(said) as
    flatten(
        list_transform(
            regexp_extract_all(said, '[^,\[\]]+(?:\[[^\]]*\])?'),
            lambda part:case
                when not contains(part, '[')
                then [part]
                else
                    flatten(
                        list_transform(
                            string_split(regexp_extract(part, '\[([^\]]*)', 1), ','),
                            lambda r:case
                                when regexp_full_match(r, '[0-9]{1,6}-[0-9]{1,6}')
                                then
                                    list_transform(
                                        range(
                                            split_part(r, '-', 1)::bigint,
                                            least(
                                                split_part(r, '-', 2)::bigint,
                                                split_part(r, '-', 1)::bigint + 9999
                                            )
                                            + 1
                                        ),
                                        lambda n:split_part(part, '[', 1)
                                        || lpad(
                                            n::varchar,
                                            greatest(
                                                len(split_part(r, '-', 1)), len(n::varchar)
                                            )::int,
                                            '0'
                                        )
                                    )
                                else [split_part(part, '[', 1) || r]
                            end
                        )
                    )
            end
        )
    )
;
