-- table: one row per thread of a dump, with the head of the dump it belongs to (unit_head), and
-- which dump below that head it is (nth).
with
    thread as (
        select t.*, coalesce(f.grammar = 'py_spy_json', false) as is_json
        from stack_thread_any as t
        join file as f using (file_id)
    ),
    spy as (select *, pid::varchar as pid_text from stack_head where source_kind = 'py-spy'),
    -- On Linux the main thread's id is the process's: that repairs dumps that interleave in one
    -- file.
    own as (
        select t.file_id, t.line_no, t.stream, h.line_no as head
        from thread as t
        asof join
            spy as h
            on t.file_id = h.file_id
            and t.stream = h.stream
            and t.tid = h.pid_text
            and t.line_no >= h.line_no
        where t.source_kind = 'py-spy' and not t.is_json
    ),
    json as (
        select t.file_id, t.line_no, h.line_no as head
        from thread as t
        asof join spy as h on t.file_id = h.file_id and t.pid = h.pid and t.line_no >= h.line_no
        where t.is_json
    ),
    last_own as (
        select t.file_id, t.line_no, o.head
        from thread as t
        asof join
            own as o on t.file_id = o.file_id and t.stream = o.stream and t.line_no >= o.line_no
        where t.source_kind = 'py-spy' and not t.is_json
    ),
    last_head as (
        select t.file_id, t.line_no, h.line_no as head
        from thread as t
        asof join
            stack_head as h
            on t.file_id = h.file_id
            and t.stream = h.stream
            and t.line_no >= h.line_no
        where t.source_kind <> 'faulthandler'
    ),
    last_fault as (
        select t.file_id, t.line_no, h.line_no as head
        from thread as t
        asof join
            (select * from stack_head where source_kind in ('faulthandler', 'mark')) as h
            on t.file_id = h.file_id
            and t.stream = h.stream
            and t.line_no >= h.line_no
        where t.source_kind = 'faulthandler'
    ),
    asked_for as (
        -- Dumped on a signal there is no head: each process ends with the thread that was asked.
        select
            t.file_id,
            t.line_no,
            count_if(t.status = 'current') over (
                partition by t.file_id, t.stream
                order by t.line_no
                rows between unbounded preceding and 1 preceding
            ) as nth
        from thread as t
        anti join last_fault using (file_id, line_no)
        where t.source_kind = 'faulthandler'
    ),
    numbered as (
        -- gdb counts down to 1, lldb up from 1; a new process begins where the count begins again.
        select
            file_id,
            line_no,
            case
                when first_value(number) over w = 1
                then count_if(number = 1) over w
                else count_if(number = 1) over (w rows between unbounded preceding and 1 preceding)
            end as nth
        from thread as t
        where
            number is not null
            -- a thread that was chosen by its number tells nothing of the order
            and not exists (
                from stack_selected as s where s.file_id = t.file_id and s.thread_line = t.line_no
            )
        window w as (partition by file_id, stream order by line_no)
    )
-- From outside a container's pid namespace no thread has the process's id, and all are called
-- active: the word means nothing then.
select
    t.* replace (
        case
            when
                t.status = 'active'
                and t.source_kind = 'py-spy'
                and last_head.head is not null
                and own.head is null
                and last_own.head is null
                and json.head is null
                and regexp_full_match(t.tid, '[0-9]+')
            then null
            else t.status
        end as status
    ),
    coalesce(json.head, own.head, last_own.head, last_head.head, last_fault.head) as unit_head,
    coalesce(numbered.nth, asked_for.nth, 0)
    -- A second main thread under one head is another dump, pasted without its own.
    + case
        when t.source_kind = 'py-spy' and not t.is_json
        then
            greatest(
                count_if(t.name = 'MainThread') over (
                    partition by
                        t.file_id, t.stream, coalesce(own.head, last_own.head, last_head.head)
                    order by t.line_no
                )
                - 1,
                0
            )
        when t.source_kind = 'austin'
        then t.pid
        -- a debugger that was attached anew
        when t.source_kind = 'gdb' and t.head_line is null
        then
            (
                select count(*)
                from stack_mark m
                where
                    m.kind = 'debugger'
                    and starts_with(m.said, '[')
                    and m.file_id = t.file_id
                    and m.line_no < t.line_no
            )
        else 0
    end as nth
from thread as t
left join json using (file_id, line_no)
left join (select file_id, line_no, head from own) as own using (file_id, line_no)
left join last_own using (file_id, line_no)
left join last_head using (file_id, line_no)
left join last_fault using (file_id, line_no)
left join numbered using (file_id, line_no)
left join asked_for using (file_id, line_no)
