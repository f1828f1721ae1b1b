-- The ring of an AMD GPU on which no kernel of a program runs: it copies, or serves the driver.
create macro is_copy_engine(ring) as
    coalesce(regexp_matches(ring, '^(?:sdma|kiq|mes)'), false)
;
