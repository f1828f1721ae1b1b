-- A frame as people name it: function (file:line), the line where it is known.
create macro frame_with_line(frame) as
    frame.f || ' (' || frame.p || coalesce(':' || frame.n, '') || ')'
;

-- The same without the line, which differs between dumps of one loop: function (file).
create macro frame_without_line(frame) as
    frame.f || ' (' || frame.p || ')'
;
