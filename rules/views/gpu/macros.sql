-- The ring of an AMD GPU on which no kernel of a program runs: it copies, or serves the driver
-- (page0: the copy engine's queue for page tables).
create macro is_copy_engine(ring) as
    coalesce(regexp_matches(ring, '^(?:sdma|page[0-9]|kiq|mes)'), false)
;
