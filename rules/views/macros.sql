-- Shared words of the rules. A macro has a name here once, so that every summary writes ranks and bytes alike.

-- A line as evidence.
CREATE MACRO line_at(file_id, line_no) AS {'file_id': file_id, 'line_no': line_no};

-- Sorted list of numbers as ranges: [0,1,2,5] -> 0-2,5.
CREATE MACRO ranges(numbers) AS (
  SELECT string_agg(CASE WHEN lo = hi THEN lo::VARCHAR WHEN hi = lo + 1 THEN lo || ',' || hi ELSE lo || '-' || hi END, ',' ORDER BY lo)
  FROM (SELECT min(n) AS lo, max(n) AS hi
        FROM (SELECT n, n - row_number() OVER (ORDER BY n) AS run FROM (SELECT DISTINCT unnest(numbers) AS n))
        GROUP BY run));

-- Bytes for people: 2147483648 -> 2.00 GiB.
CREATE MACRO bytes_text(n) AS
  CASE WHEN n IS NULL THEN '?'
       WHEN abs(n) >= 1073741824 THEN printf('%.2f GiB', n / 1073741824.0)
       WHEN abs(n) >= 1048576 THEN printf('%.2f MiB', n / 1048576.0)
       WHEN abs(n) >= 1024 THEN printf('%.2f KiB', n / 1024.0)
       ELSE n || ' B' END;

-- A name to sort by: numbers in it by value, so that node-9 comes before node-10.
CREATE MACRO natural_order(name) AS
  list_transform(regexp_extract_all(name, '[0-9]+|[^0-9]+'), lambda x: CASE WHEN x[1] BETWEEN '0' AND '9' THEN lpad(x, 20, '0') ELSE x END);
