-- table: ranks
SELECT 'seven' AS rank, 'a' AS host
