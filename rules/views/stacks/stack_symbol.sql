-- table: one row per function and source that a dump names, with what position_class says of it.
-- Versions of py-spy differ in how they qualify names, so the last dotted part counts.
with
    raw as (
        select distinct
            function,
            source,
            case when contains(arguments, ', for file ') then arguments end as arguments
        from stack_frame
    ),
    named as (
        select
            *,
            regexp_extract(
                arguments,
                ', for file ([^,]+), line ([0-9]+), in ([^ (]+)',
                ['file', 'line', 'name']
            ) as py
        from raw
    ),
    plain as (
        select
            function,
            source,
            arguments,
            case when py.name <> '' then py.name else function end as full_name,
            case when py.file <> '' then py.file else source end as full_source,
            try_cast(nullif(py.line, '') as bigint) as py_line
        from named
    ),
    short as (
        select
            *,
            coalesce(not regexp_matches(full_source, '\.pyx?$|^<'), true) as native,
            coalesce(
                regexp_replace(
                    replace(full_source, chr(92), '/'),
                    '^.*/(?:site-packages|dist-packages|lib(?:64)?/python3[.0-9]*|Lib)/',
                    ''
                ),
                ''
            ) as path
        from plain
    ),
    clean as (
        select
            *,
            case
                when native
                -- the compiler's mark of a part or a copy of a function
                then
                    regexp_replace(
                        full_name, '(\.(lto_priv|constprop|isra|part|cold|llvm)(\.[0-9]+)*)+$', ''
                    )
                else coalesce(nullif(regexp_extract(full_name, '([^.]*)$', 1), ''), full_name)
            end as name
        from short
    ),
    library as (
        select distinct c.path from clean as c join stack_library as l on c.path glob l.source
    ),
    matches as (
        select
            c.function,
            c.source,
            c.arguments,
            p.reach,
            arg_min(p.class, p.nr) as class,
            arg_min(p.awaits, p.nr) as awaits,
            min(p.nr) as nr
        from clean as c
        join
            position_pattern as p
            on c.name glob p.function
            and (p.source = '*' or c.path glob p.source or c.path glob('*/' || p.source))
        group by all
    ),
    best as (
        select
            function,
            source,
            arguments,
            map_from_entries(list((reach, {'class':class, 'awaits':awaits}))) as says
        from matches
        group by all
    )
select
    c.function,
    c.source,
    c.arguments,
    c.name,
    c.native,
    c.path,
    c.py_line,
    case
        when c.path like '/%' then regexp_extract(c.path, '([^/]*)$', 1) else c.path
    end as shown_path,
    -- `<module> (<string>)` is how multiprocessing starts a child.
    l.path is null
    and not c.native
    and not (c.name = '<module>' and c.path = '<string>') as own_code,
    b.says['skip'] is not null as skipped,
    b.says['stack'] as by_stack,
    b.says['near'] as by_near,
    b.says['weak'] as by_weak,
    b.says['native'] as by_native,
    b.says['top'] as by_top
from clean as c
left join library as l using (path)
left join
    best as b
    on b.function is not distinct from c.function
    and b.source is not distinct from c.source
    and b.arguments is not distinct from c.arguments
