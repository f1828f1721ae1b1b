-- The arithmetic of accelerator out-of-memory messages: what was asked, who holds what, and which
-- class that makes. Bytes for people, NULL where they are not known: for parts of a sentence that
-- are left out then.
create macro known_bytes(n) as
    case when n is not null then bytes_text(n) end
;
