-- table: One row per SXid event, the text and the severity lines of one switch, code and link
-- within a second, with what is known of its code; fatal as printed, else as the code is.
with
    sxid_part as (
        select
            *, coalesce(link, engine) as link_or_engine, coalesce(epoch(time), uptime_seconds) as t
        from sxid_line s
        where
            message is not null
            or link is not null
            or severity_word is not null
            or severity_level is not null
            -- a filter may leave nothing but the data of an event
            or not exists (
                from sxid_line o
                where
                    o.file_id = s.file_id
                    and o.code = s.code
                    and coalesce(o.message, o.severity_word, o.severity_level::varchar) is not null
            )
    ),
    spaced as (
        select
            *, coalesce(t - lag(t) over w > 1, line_no - lag(line_no) over w > 50, true) as is_new
        from sxid_part
        window w as (partition by file_id, pci, code, link_or_engine order by line_no)
    ),
    numbered as (
        select
            *,
            count_if(is_new) over (
                partition by file_id, pci, code, link_or_engine order by line_no
            ) as event
        from spaced
    ),
    sxid_event as (
        select
            file_id,
            min(line_no) as line_no,
            min(time) as time,
            min(uptime_seconds) as uptime_seconds,
            any_value(host) as host,
            code,
            any_value(nvswitch) as nvswitch,
            pci_address(pci) as gpu,
            link_or_engine as link,
            any_value(severity_word) as severity_word,
            any_value(severity_level) as severity_level,
            first(message order by line_no) filter (message is not null) as message,
            count(*) as lines
        from numbered
        group by file_id, pci, code, link_or_engine, event
    )
select
    e.*,
    c.mnemonic,
    c.short_meaning as meaning,
    c.class,
    c.immediate_action as action,
    c.investigatory_action,
    c.training_run_fatal,
    coalesce(
        lower(e.severity_word) = 'fatal',
        e.severity_level = 1,
        c.severity_printed = 'fatal',
        e.code = 10003,
        false
    ) as fatal
from sxid_event e
left join sxid_catalog c using (code)
