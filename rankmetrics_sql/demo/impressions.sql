-- A click log, made up: 20,000 searches show five items each. The new arm gets more clicks, but fewer at the top. A
-- sixth of the clicks become purchases at the price of the item.
SELECT
    request_id, item_id, item_id AS position, CASE request_id % 2 WHEN 0 THEN 'old' ELSE 'new' END AS arm,
    (request_id * 7919 + item_id * 104729 + (request_id * item_id * 31) % 977) % 1000
        < CASE request_id % 2 WHEN 0 THEN [180, 60, 40, 30, 20][item_id] ELSE [130, 80, 70, 60, 50][item_id] END AS clicked,
    clicked AND (request_id * 6151 + item_id * 3571) % 997 < 166 AS bought, 20 + (request_id * 13 + item_id) % 60 AS price
FROM range(20000) AS requests(request_id), range(1, 6) AS items(item_id)
