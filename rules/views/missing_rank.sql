-- Who never reached the collective the others wait in, from every source that can tell; see rules/hang/missing_rank.sql.
CREATE VIEW missing_rank_suspect AS
SELECT * FROM missing_rank_stacks
UNION ALL BY NAME SELECT * FROM missing_rank_nccl;
