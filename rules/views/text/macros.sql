-- Shared words of the rules. A macro has a name here once, so that every summary writes ranks and
-- bytes alike. A line as evidence.
create macro line_at(file_id, line_no) as
    {'file_id':file_id, 'line_no':line_no}
;

-- Sorted list of numbers as ranges: [0,1,2,5] -> 0-2,5. Without a subquery: it is used in nearly
-- every summary, and each subquery has to be planned.
create macro ranges(numbers) as
    list_transform(
        [list_sort(list_distinct(numbers))],
        lambda l:nullif(
            array_to_string(
                list_transform(
                    list_zip(
                        list_filter(l, lambda n, i:i = 1 or l[i - 1] <> n - 1),
                        list_filter(l, lambda n, i:i = len(l) or l[i + 1] <> n + 1)
                    ),
                    lambda r: case
                        when r[1] = r[2]
                        then r[1]::varchar
                        when r[2] = r[1] + 1
                        then r[1] || ',' || r[2]
                        else r[1] || '-' || r[2]
                    end
                ),
                ','
            ),
            ''
        )
    )[1]
;

-- Bytes for people: 2147483648 -> 2.00 GiB.
create macro bytes_text(n) as
    case
        when n is null
        then '?'
        when abs(n) >= 1073741824
        then printf('%.2f GiB', n / 1073741824.0)
        when abs(n) >= 1048576
        then printf('%.2f MiB', n / 1048576.0)
        when abs(n) >= 1024
        then printf('%.2f KiB', n / 1024.0)
        else n || ' B'
    end
;

-- A name to sort by: numbers in it by value, so that node-9 comes before node-10.
create macro natural_order(name) as
    list_transform(
        regexp_extract_all(name, '[0-9]+|[^0-9]+'),
        lambda x: case when x[1] between '0' and '9' then lpad(x, 20, '0') else x end
    )
;

-- What a row of `kubectl describe` or `kubectl get events` says, without its columns: the reason,
-- and its age and source or its object.
create macro words_of_event(message) as
    regexp_replace(
        message,
        '^[A-Z][A-Za-z]+ +(?:(?:[0-9]+[smhdw])+(?: \(x[0-9]+ over [0-9smhdw]+\))?'
        || ' +[a-z][a-z0-9-]*(?:, [a-z0-9][a-z0-9.-]*)?|[a-z]+/[^ ]+) +',
        ''
    )
;
