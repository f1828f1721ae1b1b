-- table: One row per value of a line of metrics in nobody's known layout: lines of one shape, alike
-- but for their numbers, one of which counts on (the step); another's name is that of a loss.
with
    line as (
        select
            rowid as line_id,
            file_id,
            line_no,
            -- one curve for each rank that the line, or what is in front of it, names
            stream || coalesce(
                'rank ' || coalesce(
                    nullif(rank_in(text), ''),
                    case when split_part(stream, '|', 2) = '' then rank::varchar end
                ),
                ''
            ) as stream,
            time,
            host,
            coalesce(rank, try_cast(rank_in(text) as bigint)) as rank,
            -- times of day and dates count on too, bars grow
            regexp_replace(
                -- over what a value is taken: loss(avg)
                regexp_replace(
                    translate(text, '：，；（）＝"''', ':,;()='),
                    '([a-z]) ?\((?:avg|mean|all|global|(?:for|per) [a-z ]+)\)',
                    '\1',
                    'gi'
                ),
                '\b[0-9]{2,4}[-./][0-9]{1,2}[-./][0-9]{2,4}'
                || '|(?:\b|T)[0-9]{1,3}(?::[0-9]{2}){2}(?:[.,][0-9]+)?Z?\b|\b[0-9]{2}:[0-9]{2}\b'
                || '|[\x{2500}-\x{25FF} ]*[\x{2500}-\x{25FF}][\x{2500}-\x{25FF} ]*'
                || '|[=>.#-]{3,}|\s\s+',
                ' ',
                'g'
            ) as text
        from unread_metric u
        -- a bar of Keras, drawn anew on a line of its own with each batch: the mean so far of an
        -- epoch whose last line tells it
        where
            not (
                contains(text, '- ETA: ')
                and exists (
                    from training_line t where t.file_id = u.file_id and t.trainer = 'keras'
                )
            )
    ),
    cut as (
        select
            * exclude (text),
            regexp_extract_all(text, shape_number()) as numbers,
            string_split_regex(text, shape_number()) as gaps,
            array_to_string(gaps, '#') as shape
        from line
    ),
    shaped as (
        select
            *,
            len(numbers) > 1
            and not regexp_matches(gaps[1], '[' || letters() || ']')
            and regexp_matches(gaps[2], '^ ?[' || letters() || '][^,;|]*[,;|] ?$') as is_value_first
        from cut
        where
            len(numbers) between 1 and 40
            and not regexp_matches(shape, '(?i)(packet|frame|signal|power|stop|profit)[ _]loss')
            -- the number behind the name tells when it was measured
            and (
                not regexp_matches(shape, '(?i)loss (after|at|over|since) #')
                or regexp_matches(
                    shape,
                    '(?i)loss (after|at) # (steps?|iter[a-z]*|updates?|epochs?|batches)[:=, ]'
                )
            )
        qualify count(*) over (partition by file_id, stream, shape) >= 3
    ),
    place as (
        select
            line_id,
            file_id,
            stream,
            shape,
            line_no,
            unnest(range(1, len(numbers) + 1)) as place,
            unnest(numbers) as printed,
            unnest(gaps[:-2]) as gap
        from shaped
    ),
    -- what is counted is no step of a training
    counted_otherwise as (
        select file_id, stream, shape
        from place
        where
            regexp_matches(
                gap,
                '(?i)(^|[^a-z])(trial|fold|run|experiment|config|model|seed|layer|block|module'
                || '|expert|head|client|sample|image|file|doc(ument)?|task|job|query|tree|shard'
                || '|worker|candidate|chunk|request)[^'
                || letters()
                || ']{0,3}$'
            )
        group by file_id, stream, shape, place
        having min(printed) <> max(printed)
    ),
    moved as (
        select
            *,
            regexp_full_match(printed, '[0-9]+(,[0-9]{3})*') as is_whole,
            replace(printed, ',', '')::double
            > lag(try_cast(replace(printed, ',', '') as double)) over (
                partition by file_id, stream, shape, place order by line_no
            ) as is_more
        from
            (
                select
                    * replace (
                        case
                            when regexp_full_match(printed, '[0-9]+(,[0-9]{3})*') then printed
                        end as printed
                    )
                from place
            )
    ),
    counter as (
        select
            file_id,
            stream,
            shape,
            place,
            count_if(is_more) >= 0.9 * (count(*) - 1) as counts_on,
            count_if(not is_more) as restarts
        from moved
        group by file_id, stream, shape, place
        having
            bool_and(is_whole)
            -- one that is called so may begin anew with each epoch
            and count_if(is_more) >= greatest(
                2, case when is_step_word(any_value(gap)) then 0.6 else 0.9 end * (count(*) - 1)
            )
            and not regexp_matches(
                any_value(gap),
                '(?i)(sec|time|elapsed|tokens|samples|pid|bytes)[^' || letters() || ']*$'
            )
        qualify
            row_number() over (
                partition by file_id, stream, shape order by not is_step_word(any_value(gap)), place
            )
            = 1
    ),
    found as (
        select
            s.*,
            c.place as counter,
            c.restarts,
            case when c.counts_on then shape_value(numbers[c.place]) end as step,
            case
                when regexp_full_match(gaps[c.place + 1], '(?i) ?(/|of|sur|von|de|out of) ?')
                then shape_value(numbers[c.place + 1])
            end as steps_planned
        from shaped s
        left join counter c using (file_id, stream, shape)
        anti join counted_otherwise o using (file_id, stream, shape)
        -- without a step their order is it
        qualify
            c.counts_on
            or count(*) over (partition by s.file_id, s.stream, s.shape) >= 8
            and not regexp_matches(s.shape, '(?i)loss (after|at) #')
    ),
    named as (
        select
            * exclude (numbers, gaps, is_value_first, counter, shape),
            shape,
            unnest(
                list_transform(
                    list_filter(
                        range(1, len(numbers) + 1),
                        lambda i:i is distinct from counter
                        and (steps_planned is null or i <> counter + 1)
                    ),
                    lambda i: {
                        'place':i,
                        'number':shape_value(numbers[i]),
                        -- the last such word before it
                        'phase':lower(
                            regexp_extract(
                                array_to_string(gaps[:i], ' '),
                                '(?i)^.*(?:^|[^a-z])(train(?:ing)?|val(?:id(?:at(?:e|ion|ing))?)?'
                                || '|eval(?:uat(?:e|ion|ing))?|test)(?:[^a-z]|$)',
                                1
                            )
                        ),
                        'name':coalesce(
                            nullif(
                                regexp_replace(
                                    shape_name(
                                        case
                                            when is_value_first
                                            then regexp_extract(gaps[i + 1], '^[^,;|]*')
                                            else gaps[i]
                                        end
                                    ),
                                    '^(is|was|of|at|to|now|value|steps|iterations|updates|epochs)$',
                                    ''
                                ),
                                ''
                            ),
                            case
                                when i = counter + 1
                                then
                                    regexp_replace(
                                        shape_name(before_step(gaps[counter])),
                                        '(?i)^score$',
                                        'loss score'
                                    )
                            end
                        )
                    }
                )
            ) as f
        from found
    )
select * exclude (shape, n)
from
    (
        select
            file_id,
            line_no,
            stream,
            'shape' as trainer,
            time,
            host,
            rank,
            f.name as name,
            '' as unit,
            case when f.phase not like 'train%' then f.phase else '' end as phase,
            step,
            steps_planned,
            f.place as place,
            f.number as value,
            shape,
            count(*) over (partition by file_id, stream, f.name, f.phase, shape) as n
        from named
        where
            f.name <> ''
            and f.number is not null
            -- batches of a validation, counted anew each time: their order is no course
            and not (coalesce(restarts, 0) >= 5 and f.phase not in ('', 'train', 'training'))
    )
-- of several shapes that name the same the commonest counts
qualify
    shape
    = first_value(shape) over (partition by file_id, stream, name, phase order by n desc, line_no)
