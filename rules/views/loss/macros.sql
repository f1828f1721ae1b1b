-- A number as a person would write it.
create macro plain(x) as
    case
        when x is null
        then '?'
        when x = round(x) and abs(x) < 1e15
        then x::bigint::varchar
        else printf('%.4g', x)
    end
;

-- Where a log prints no step (the bar that has it stands elsewhere) values are counted: no number
-- to be taken for a step of the run.
create macro counted_note(stepless, file, line) as
    case
        when stepless
        then
            ' (no step is printed: its values are counted' || coalesce(
                '; that is at epoch ' || (
                    select plain(any_value(m.value))
                    from metric m
                    where m.canonical = 'epoch' and m.file_id = file and m.line_no = line
                ),
                ''
            )
            || ')'
        else ''
    end
;
