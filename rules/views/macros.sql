-- Shared words of the rules. A macro has a name here once, so that every summary writes ranks and bytes alike.

-- A line as evidence.
CREATE MACRO line_at(file_id, line_no) AS {'file_id': file_id, 'line_no': line_no};

-- Sorted list of numbers as ranges: [0,1,2,5] -> 0-2,5.
-- Without a subquery: it is used in nearly every summary, and each subquery has to be planned.
CREATE MACRO ranges(numbers) AS
  list_transform([list_sort(list_distinct(numbers))], lambda l: nullif(array_to_string(list_transform(
    list_zip(list_filter(l, lambda n, i: i = 1 OR l[i - 1] <> n - 1), list_filter(l, lambda n, i: i = len(l) OR l[i + 1] <> n + 1)),
    lambda r: CASE WHEN r[1] = r[2] THEN r[1]::VARCHAR WHEN r[2] = r[1] + 1 THEN r[1] || ',' || r[2] ELSE r[1] || '-' || r[2] END), ','), ''))[1];

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
