/*
title      = "A send and its receive disagree in size or type"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "network.peer_lost", "crash", "divergence.stack"]
about      = """
Both ends of a point-to-point operation are open, in the same place of their order, and the sender sends another number of elements, or another type, than the receiver expects.
"""
remedy     = "Compare the shapes the two ranks use (micro-batch size, sequence length, hidden size, padding of the last batch) at the places named."
falsely    = "Operations are paired by their order among the open ones; a pair that was half done when the dump was taken shifts it."
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]
*/
WITH open AS (
  SELECT *, coalesce(nullif(input_numel, 0), output_numel) AS numel, coalesce(input_dtypes, output_dtypes) AS dtypes, coalesce(input_sizes, output_sizes) AS sizes,
    row_number() OVER (PARTITION BY rank, grp_key, src, dst, kind ORDER BY record_id) AS nth
  FROM flight_operation WHERE is_p2p AND pending AND NOT is_gloo AND src IS NOT NULL AND dst IS NOT NULL AND kind IN ('send', 'recv')),
pair AS (
  SELECT s.src, s.dst, s.grp_key, s.grp, s.grp_desc, s.p2p_seq AS seq, s.numel AS sent, r.numel AS expected, s.dtypes AS sent_type, r.dtypes AS expected_type, s.sizes AS sent_sizes, r.sizes AS expected_sizes,
    s.file_id AS send_file, s.line_no AS send_line, r.file_id AS recv_file, r.line_no AS recv_line, s.time, s.nth
  FROM open s JOIN open r ON r.grp_key = s.grp_key AND r.src = s.src AND r.dst = s.dst AND r.nth = s.nth AND r.kind = 'recv' AND r.rank = s.dst
  WHERE s.kind = 'send' AND s.rank = s.src AND (s.numel <> r.numel OR s.dtypes <> r.dtypes))
SELECT 'Rank ' || src || ' sends ' || coalesce(arg_min(sent_sizes, nth), '?') || ' ' || coalesce(arg_min(sent_type, nth), '') || ' to rank ' || dst || ', which expects ' || coalesce(arg_min(expected_sizes, nth), '?') || ' ' || coalesce(arg_min(expected_type, nth), '') || '.' AS summary,
  list({'file_id': send_file, 'line_no': send_line, 'text': 'rank ' || src || ': send ' || src || '->' || dst || ' ' || coalesce(sent_sizes, '') || ' ' || coalesce(sent_type, '')} ORDER BY nth)
    || list({'file_id': recv_file, 'line_no': recv_line, 'text': 'rank ' || dst || ': recv ' || dst || '<-' || src || ' ' || coalesce(expected_sizes, '') || ' ' || coalesce(expected_type, '')} ORDER BY nth) AS evidence,
  min(time) AS "at", list_sort([src, dst]) AS ranks, src, dst, CASE WHEN bool_or(sent <> expected) THEN 'size' ELSE 'dtype' END AS field, arg_min(sent, nth) AS sent, arg_min(expected, nth) AS expected,
  coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) AS "group", min(seq) AS seq
FROM pair GROUP BY src, dst, grp_key
