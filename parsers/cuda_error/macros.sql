-- The text of an error without what programs put behind it, so that the lists' spelling and the
-- printed one can be compared; a name stands for itself.
create macro runtime_error_key(printed) as
    regexp_replace(
        lower(
            trim(
                regexp_replace(
                    regexp_replace(
                        printed,
                        '^([A-Z]+_(?:STATUS|ERROR)_[A-Z0-9_]+|CUFFT_[A-Z_]+|miopenStatus[A-Za-z]+'
                        || '|(?:cuda|hip)Error[A-Z][A-Za-z]+).*$',
                        '\1'
                    ),
                    '( \(| at |: |\. |; |, ).*$',
                    ''
                )
            )
        ),
        '\.+$',
        ''
    )
;
