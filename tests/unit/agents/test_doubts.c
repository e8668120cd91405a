/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/doubts: which statements are doubted by their form, and which are not. */
#include "agents/sql/doubts/doubts.h"
#include "core/base/calendar.h"

#include <stdio.h>

#include "tests/lib/test.h"

enum { ARENA_BYTES = 4 << 20, SAID_BYTES = 256 };

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"houses\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"name\",\"type\":\"text\"},{\"name\":\"city\",\"type\":\"text\"},"
    "{\"name\":\"insured_cent\",\"type\":\"integer\"},{\"name\":\"listed\",\"type\":\"boolean\"},"
    "{\"name\":\"rooms\",\"type\":\"integer\"},{\"name\":\"wall_cm\",\"type\":\"integer\"},"
    "{\"name\":\"is_sold\",\"type\":\"boolean\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"bills\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"house_id\",\"type\":\"integer\"},{\"name\":\"sent_on\",\"type\":\"date\"},"
    "{\"name\":\"paid_on\",\"type\":\"date\"},"
    "{\"name\":\"amount_net\",\"type\":\"numeric\"},{\"name\":\"amount_gross\",\"type\":"
    "\"numeric\"},"
    "{\"name\":\"currency\",\"type\":\"text\"},{\"name\":\"status\",\"type\":\"text\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"people\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"surname\",\"type\":\"text\"},{\"name\":\"boss_id\",\"type\":\"integer\"},"
    "{\"name\":\"hired_on\",\"type\":\"date\"},{\"name\":\"leave_until\",\"type\":\"date\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"goods\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"title\",\"type\":\"text\"},{\"name\":\"list_price\",\"type\":\"numeric\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"lines\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"good_id\",\"type\":\"integer\"},{\"name\":\"quantity\",\"type\":\"integer\"},"
    "{\"name\":\"unit_price\",\"type\":\"numeric\"}],\"unique_columns\":[\"id\"]},"
    "\"stays\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"entered_on\",\"type\":\"date\"},{\"name\":\"check_in\",\"type\":\"date\"},"
    "{\"name\":\"check_out\",\"type\":\"date\"},{\"name\":\"state\",\"type\":\"text\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"remarks\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"about_id\",\"type\":\"integer\"},{\"name\":\"about_type\",\"type\":\"text\"},"
    "{\"name\":\"minutes\",\"type\":\"integer\"},{\"name\":\"stars\",\"type\":\"integer\"}],"
    "\"unique_columns\":[\"id\"]},"
    "\"visits\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"house_id\",\"type\":\"integer\"},{\"name\":\"former_id\",\"type\":\"integer\"},"
    "{\"name\":\"caretaker_id\",\"type\":\"integer\"},"
    "{\"name\":\"guests\",\"type\":\"integer\"}],\"unique_columns\":[\"id\"]}},"
    "\"relationships\":["
    "{\"from_table\":\"lines\",\"from_column\":\"good_id\",\"to_table\":"
    "\"goods\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"people\",\"from_column\":\"boss_id\",\"to_table\":"
    "\"people\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"visits\",\"from_column\":\"house_id\",\"to_table\":"
    "\"houses\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"visits\",\"from_column\":\"former_id\",\"to_table\":"
    "\"visits\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"visits\",\"from_column\":\"caretaker_id\",\"to_table\":"
    "\"people\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"bills\",\"from_column\":\"house_id\",\"to_table\":"
    "\"houses\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"}]}";

#define TIED "FROM houses h LEFT JOIN bills b ON b.house_id = h.id"

/* said: the kinds, one behind the other; "": nothing is doubted */
static const struct {
    const char *question, *sql, *said;
} cases[] = {
    /* an outer join that WHERE undoes */
    {"", "SELECT h.name, COUNT(b.id) AS n " TIED " WHERE b.status = 'open' GROUP BY h.id, h.name",
     "outer_join"},
    {"", "SELECT h.name " TIED " AND b.status = 'open' WHERE h.city = 'Bonn'", ""},
    {"", "SELECT h.name " TIED " WHERE b.id IS NULL", ""},
    {"", "SELECT h.name " TIED " WHERE b.status = 'open' OR b.id IS NULL", ""},
    {"", "SELECT h.name " TIED " WHERE COALESCE(b.status, '') <> 'open'", ""},
    {"", "SELECT h.name FROM houses h JOIN bills b ON b.house_id = h.id WHERE b.status = 'open'",
     ""},
    /* what is counted */
    {"How many houses have bills?", "SELECT COUNT(house_id) AS n FROM bills", "count_of_column"},
    {"How many houses have bills?", "SELECT COUNT(DISTINCT house_id) AS n FROM bills", ""},
    {"How many bills?", "SELECT COUNT(*) AS n FROM bills", ""},
    {"How many bills?", "SELECT COUNT(id) AS n FROM bills", ""},
    {"How many bills?", "SELECT COUNT(status) AS n FROM bills", "count_of_column"},
    {"How many bills have a status?", "SELECT COUNT(status) AS n FROM bills", ""},
    {"Bills of each house", "SELECT h.name, COUNT(b.house_id) AS n " TIED " GROUP BY h.id, h.name",
     ""},
    {"Bills of each house, houses without bills included",
     "SELECT h.name, COUNT(*) AS n " TIED " GROUP BY h.id, h.name", "none_counted_as_one"},
    {"Bills with the city of their house",
     "SELECT h.city, COUNT(*) AS n FROM bills b LEFT JOIN houses h ON h.id = b.house_id GROUP BY "
     "h.city",
     ""},
    /* whose reference it is */
    {"Remarks of each house",
     "SELECT h.name, COUNT(*) AS n FROM remarks r JOIN houses h ON h.id = r.about_id GROUP BY "
     "h.id, "
     "h.name",
     "type_of_reference"},
    {"Remarks of each house",
     "SELECT h.name, COUNT(*) AS n FROM remarks r JOIN houses h ON h.id = r.about_id AND "
     "r.about_type = 'House' GROUP BY h.id, h.name",
     ""},
    /* a bound on all rows together */
    {"Which cities have more than 20 rooms altogether?",
     "SELECT DISTINCT city FROM houses WHERE rooms > 20", "row_for_total"},
    {"Which cities have more than 20 rooms altogether?",
     "SELECT city FROM houses GROUP BY city HAVING SUM(rooms) > 20", ""},
    {"Which houses have more than 20 rooms?", "SELECT id FROM houses WHERE rooms > 20", ""},
    {"How many houses are there in total, of more than 20 rooms each?",
     "SELECT COUNT(*) AS n FROM houses WHERE rooms > 20", ""},
    /* money */
    {"Which good brought in the most revenue?",
     "SELECT g.title FROM lines l JOIN goods g ON g.id = l.good_id GROUP BY g.id, g.title ORDER BY "
     "SUM(l.quantity) DESC LIMIT 1",
     "no_money"},
    {"Which good brought in the most revenue?",
     "SELECT g.title, SUM(l.quantity) AS sold FROM lines l JOIN goods g ON g.id = l.good_id GROUP "
     "BY g.id, g.title ORDER BY sold DESC LIMIT 1",
     "no_money"},
    {"Which good brought in the most revenue?",
     "SELECT g.title FROM lines l JOIN goods g ON g.id = l.good_id GROUP BY g.id, g.title ORDER BY "
     "SUM(l.quantity * l.unit_price) DESC LIMIT 1",
     ""},
    {"Which good was sold the most?",
     "SELECT g.title FROM lines l JOIN goods g ON g.id = l.good_id GROUP BY g.id, g.title ORDER BY "
     "SUM(l.quantity) DESC LIMIT 1",
     ""},
    /* cents are no months */
    {"Insured sum per city and year",
     "SELECT city, SUM(insured_cent) / 100.0 AS s FROM houses GROUP BY city", "per_period"},
    {"Insured sum per city",
     "SELECT city, SUM(insured_cent) / 100.0 AS s FROM houses GROUP BY city", ""},
    /* some rows in no order */
    {"The 5 largest houses by rooms", "SELECT name, rooms FROM houses LIMIT 5", "unordered"},
    {"Top 3 houses", "SELECT name FROM houses LIMIT 3", "unordered"},
    {"Which house has the most bills?",
     "SELECT h.name, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id, "
     "h.name LIMIT 1",
     "unordered"},
    {"The 5 largest houses by rooms", "SELECT name, rooms FROM houses ORDER BY rooms DESC LIMIT 5",
     ""},
    {"The largest house by rooms",
     "SELECT name FROM houses WHERE rooms = (SELECT MAX(rooms) FROM houses) LIMIT 1", ""},
    {"The most rooms of a house", "SELECT MAX(rooms) AS r FROM houses LIMIT 1", ""},
    {"Show 5 houses", "SELECT name FROM houses LIMIT 5", ""},
    {"Houses with at least 3 rooms", "SELECT name FROM houses WHERE rooms >= 3 LIMIT 50", ""},
    /* a mean of what is not there */
    {"How many stars do remarks have on average?",
     "SELECT AVG(COALESCE(stars, 0)) AS a FROM remarks", "mean_of_missing"},
    {"Average stars, remarks without any as 0", "SELECT AVG(COALESCE(stars, 0)) AS a FROM remarks",
     ""},
    {"How many hours of remarks?", "SELECT SUM(minutes) / 60 AS h FROM remarks", "whole_division"},
    {"How many hours of remarks?", "SELECT SUM(minutes) / 60.0 AS h FROM remarks", ""},
    {"Which remarks took more than 2 hours?",
     "SELECT about_id FROM remarks GROUP BY about_id HAVING SUM(minutes) > 2", "unit"},
    {"Which remarks took more than 2 hours?",
     "SELECT about_id FROM remarks GROUP BY about_id HAVING SUM(minutes) > 120", ""},
    {"Average time from entry to arrival in hours",
     "SELECT AVG(julianday(check_in) - julianday(entered_on)) AS a FROM stays", "unit"},
    {"Average time from entry to arrival in hours",
     "SELECT AVG(julianday(check_in) - julianday(entered_on)) * 24 AS a FROM stays", ""},
    /* rows limited where the total is meant */
    {"houses whose bills add up to more than 2000",
     "SELECT h.name, SUM(b.amount_net) AS n, b.currency " TIED
     " WHERE b.amount_net > 2000 GROUP BY "
     "h.id, h.name, b.currency",
     "outer_join row_for_total"},
    {"houses whose bills add up to more than 2000",
     "SELECT h.name, SUM(b.amount_net) AS n, b.currency " TIED " GROUP BY h.id, h.name, b.currency "
     "HAVING SUM(b.amount_net) > 2000",
     ""},
    /* those without any */
    {"bills per house, houses with none as well",
     "SELECT h.name, COUNT(b.id) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY "
     "h.id, "
     "h.name",
     "inner_join"},
    {"bills per house, houses with none as well",
     "SELECT h.name, COUNT(b.id) AS n " TIED " GROUP BY h.id, h.name", ""},
    {"bills per house, and the city as well",
     "SELECT h.name, COUNT(b.id) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY "
     "h.id, "
     "h.name",
     ""},
    /* percents */
    {"how many percent of bills are open",
     "SELECT 1.0 * SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM bills",
     "share_for_percent"},
    {"how many percent of bills are open",
     "SELECT 100.0 * SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM bills",
     ""},
    {"what share of bills is open",
     "SELECT 1.0 * SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM bills",
     ""},
    /* a mean of means */
    {"average bill",
     "SELECT AVG(m) AS a FROM (SELECT house_id, AVG(amount_net) AS m FROM bills GROUP BY house_id) "
     "AS x",
     "mean_of_means units"},
    {"average bill",
     "WITH x AS (SELECT house_id, AVG(amount_net) AS m, currency FROM bills GROUP BY house_id, "
     "currency) SELECT AVG(m) AS a FROM x",
     "mean_of_means"},
    {"the average of the houses' averages",
     "SELECT AVG(m) AS a FROM (SELECT house_id, AVG(amount_net) AS m, currency FROM bills GROUP BY "
     "house_id, currency) AS x",
     ""},
    {"average number of bills",
     "SELECT AVG(n) AS a FROM (SELECT house_id, COUNT(*) AS n FROM bills GROUP BY house_id) AS x",
     ""},
    /* what is not grouped by */
    {"", "SELECT status, house_id, COUNT(*) AS n FROM bills GROUP BY status", "not_grouped"},
    {"", "SELECT status, COUNT(*) AS n FROM bills", "not_grouped"},
    {"", "SELECT status AS s, COUNT(*) AS n FROM bills GROUP BY s", ""},
    {"", "SELECT status, COUNT(*) AS n FROM bills GROUP BY 1", ""},
    {"",
     "SELECT h.name, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY h.id",
     ""},
    {"",
     "SELECT h.name, COUNT(*) AS n FROM houses h JOIN bills b ON b.house_id = h.id GROUP BY "
     "b.house_id",
     ""},
    {"", "SELECT status, MAX(sent_on) AS latest FROM bills", ""},
    {"", "SELECT status, COUNT(*) AS n FROM bills WHERE status = 'open'", ""},
    {"", "SELECT id, COUNT(*) OVER () AS n FROM bills", ""},
    /* ends */
    {"in May", "SELECT id FROM bills WHERE sent_on >= '2025-05-01' AND sent_on < '2025-05-31'",
     "last_day"},
    {"in February", "SELECT id FROM bills WHERE sent_on < '2024-02-29'", ""},
    {"in February", "SELECT id FROM bills WHERE sent_on >= '2024-02-01' AND sent_on < '2024-02-29'",
     "last_day"},
    {"in February", "SELECT id FROM bills WHERE sent_on >= '2024-02-01' AND sent_on < '2024-02-28'",
     ""},
    {"before May 31",
     "SELECT id FROM bills WHERE sent_on >= '2025-05-01' AND sent_on < '2025-05-31'", ""},
    {"in May", "SELECT id FROM bills WHERE sent_on >= '2025-05-01' AND sent_on < '2025-06-01'", ""},
    {"in May", "SELECT id FROM bills WHERE sent_on <= '2025-05-31'", ""},
    /* numbers and texts */
    {"", "SELECT name FROM houses WHERE listed = 'J'", "text_for_number"},
    {"", "SELECT name FROM houses WHERE id = '7'", ""},
    {"", "SELECT name FROM houses WHERE name = 'J'", ""},
    {"", "SELECT id FROM bills WHERE sent_on = 'x'", ""},
    /* units, cents, the column beside */
    {"gross", "SELECT SUM(amount_gross) AS s FROM bills", "units"},
    {"gross", "SELECT SUM(amount_gross) AS s FROM bills WHERE currency = 'EUR'", ""},
    {"gross", "SELECT currency, SUM(amount_gross) AS s FROM bills GROUP BY currency", ""},
    {"insured for more than 5 million euros",
     "SELECT name FROM houses WHERE insured_cent > 5000000", "unit"},
    {"insured for more than 5 million euros",
     "SELECT name FROM houses WHERE insured_cent > 500000000", ""},
    {"insured for more than 5 million", "SELECT name FROM houses WHERE insured_cent > 5000000", ""},
    {"insured for more than 700 cents", "SELECT name FROM houses WHERE insured_cent > 700", ""},
    {"the net amounts", "SELECT id, amount_gross FROM bills", "column_beside"},
    {"the net amounts", "SELECT id, amount_net FROM bills", ""},
    {"the net and gross amounts", "SELECT id, amount_net, amount_gross FROM bills", ""},
    {"the amounts", "SELECT id, amount_gross FROM bills", ""},
    {"bills paid in May 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-05-01' AND sent_on < '2025-06-01'",
     "date_beside"},
    {"bills sent in May 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-05-01' AND sent_on < '2025-06-01'", ""},
    /* numbers that the question bounds */
    {"more than 5 rooms", "SELECT name FROM houses WHERE rooms >= 5", "bound"},
    {"more than 5 rooms", "SELECT name FROM houses WHERE rooms > 5", ""},
    {"more than 5 rooms", "SELECT name FROM houses WHERE 5 < rooms", ""},
    {"more than 5 rooms", "SELECT name FROM houses WHERE 5 > rooms", "bound"},
    {"more than 5 rooms", "SELECT name FROM houses WHERE rooms >= 6", ""},
    {"more than 5 rooms", "SELECT name FROM houses WHERE NOT (rooms <= 5)", ""},
    {"no more than 5 rooms", "SELECT name FROM houses WHERE rooms < 5", "bound"},
    {"5 or more rooms", "SELECT name FROM houses WHERE rooms > 5", "bound"},
    {"mindestens fünf Zimmer", "SELECT name FROM houses WHERE rooms > 5", "bound"},
    {"menos de 1.000 euros", "SELECT id FROM bills WHERE amount_net <= 1000", "bound"},
    {"au moins 5", "SELECT name FROM houses WHERE rooms >= 5", ""},
    {"walls longer than 2 m", "SELECT name FROM houses WHERE wall_cm > 2", "unit"},
    {"walls longer than 2 m", "SELECT name FROM houses WHERE wall_cm > 200", ""},
    /* days */
    {"after 31 December 2024", "SELECT id FROM bills WHERE sent_on >= '2024-12-31'", "bound"},
    {"after 31 December 2024", "SELECT id FROM bills WHERE sent_on > '2024-12-31'", ""},
    {"nach dem 31.12.2024", "SELECT id FROM bills WHERE sent_on >= '2025-01-01'", ""},
    {"before June 2025", "SELECT id FROM bills WHERE sent_on <= '2025-06-30'", "bound"},
    {"before June 2025", "SELECT id FROM bills WHERE sent_on <= '2025-05-31'", ""},
    {"bis Ende 2025", "SELECT id FROM bills WHERE sent_on <= '2025-12-31'", ""},
    {"desde el 3 de marzo de 2025", "SELECT id FROM bills WHERE sent_on > '2025-03-03'", "bound"},
    {"in the second quarter of 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-03-01' AND sent_on < '2025-06-01'", "period"},
    {"Q2 2025", "SELECT id FROM bills WHERE sent_on BETWEEN '2025-04-01' AND '2025-06-30'", ""},
    {"im März 2025", "SELECT id FROM bills WHERE sent_on BETWEEN '2025-03-01' AND '2025-03-30'",
     "period"},
    /* what is denied */
    {"not open", "SELECT id FROM bills WHERE status = 'open'", "denial"},
    {"people who never paid a bill",
     "SELECT p.surname FROM people p JOIN bills b ON b.person_id = p.id WHERE b.paid = 0",
     "denial"},
    {"people who never paid a bill",
     "SELECT surname FROM people WHERE id NOT IN (SELECT person_id FROM bills WHERE paid = 1)", ""},
    {"not open", "SELECT id FROM bills WHERE status <> 'open'", ""},
    {"not open", "SELECT id FROM bills WHERE status = 'paid'", ""},
    {"no more than open", "SELECT id FROM bills WHERE status = 'paid'", ""},
    {"houses, without the sold ones", "SELECT name FROM houses WHERE city = 'Bonn'", "mark_said"},
    {"houses, without the sold ones", "SELECT name FROM houses WHERE is_sold = 0", ""},
    /* whole numbers */
    {"", "SELECT SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END) / COUNT(*) AS s FROM bills",
     "whole_division"},
    {"", "SELECT COUNT(DISTINCT house_id) / COUNT(*) AS s FROM bills", "whole_division"},
    {"", "SELECT 1.0 * COUNT(DISTINCT house_id) / COUNT(*) AS s FROM bills", ""},
    {"", "SELECT 100 * COUNT(DISTINCT house_id) / COUNT(*) AS s FROM bills", ""},
    {"", "SELECT COUNT(*) / 10 AS s FROM bills", ""},
    {"gross", "SELECT SUM(amount_gross) / COUNT(*) AS s FROM bills WHERE currency = 'EUR'", ""},
    /* parts of dates */
    {"", "SELECT id FROM bills WHERE strftime('%m', sent_on) = '5'", "part_of_date"},
    {"", "SELECT id FROM bills WHERE strftime('%m', sent_on) = 5", "part_of_date"},
    {"", "SELECT id FROM bills WHERE strftime('%m', sent_on) = '05'", ""},
    {"", "SELECT id FROM bills WHERE strftime('%Y', sent_on) = '2025'", ""},
    {"", "SELECT id FROM bills WHERE strftime('%Y-%m', sent_on) = '2025-05'", ""},
    /* pairs, and a table with itself */
    {"", "SELECT COUNT(*) AS n FROM bills b JOIN visits v ON v.house_id = b.house_id", "pairs"},
    {"", "SELECT COUNT(DISTINCT b.id) AS n FROM bills b JOIN visits v ON v.house_id = b.house_id",
     ""},
    {"", "SELECT e.id FROM visits e JOIN visits f ON f.former_id = e.id", "reference_turned"},
    {"", "SELECT e.id FROM visits e JOIN visits f ON e.former_id = f.id", ""},
    {"more than the one before",
     "SELECT e.id FROM visits e JOIN visits f ON e.former_id = f.id "
     "WHERE e.guests < f.guests",
     "sides"},
    {"more than the one before",
     "SELECT e.id FROM visits e JOIN visits f ON e.former_id = f.id "
     "WHERE f.guests < e.guests",
     ""},
    /* what a number is of */
    {"the average amount per house",
     "SELECT AVG(amount_net) AS a FROM bills WHERE currency = 'EUR'", "average_per"},
    {"the average amount per bill", "SELECT AVG(amount_net) AS a FROM bills WHERE currency = 'EUR'",
     ""},
    {"houses with more than 500 guests",
     "SELECT h.name FROM houses h JOIN visits v ON v.house_id = h.id WHERE v.guests > 500 GROUP BY "
     "h.id",
     "rows_for_groups"},
    {"houses with more than 500 guests",
     "SELECT h.name FROM houses h JOIN visits v ON v.house_id = h.id GROUP BY h.id HAVING "
     "SUM(v.guests) > 500",
     ""},
    {"how much is a bill for a house on average",
     "SELECT AVG(amount_net) AS a FROM bills WHERE currency = 'EUR'", ""},
    {"how much is paid for a house on average",
     "SELECT AVG(amount_net) AS a FROM bills WHERE currency = 'EUR'", "average_per"},
    /* from one day to another */
    {"bills sent from 1 to 15 June 2025, both included",
     "SELECT id FROM bills WHERE sent_on > '2025-06-01' AND sent_on < '2025-06-15'", "period"},
    {"bills sent from 1 to 15 June 2025, both included",
     "SELECT id FROM bills WHERE sent_on BETWEEN '2025-06-01' AND '2025-06-15'", ""},
    {"bills sent between 28 May and 2 June 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-05-28' AND sent_on < '2025-06-02'", "period"},
    {"bills sent between March and May 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-03-01' AND sent_on < '2025-06-01'", ""},
    {"Rechnungen vom 1. bis 15. Juni 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-06-01' AND sent_on < '2025-06-15'", "period"},
    {"del 1 al 15 de junio de 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-06-01' AND sent_on <= '2025-06-15'", ""},
    {"du 1er au 15 juin 2025",
     "SELECT id FROM bills WHERE sent_on >= '2025-06-02' AND sent_on <= '2025-06-15'", "period"},
    {"from December to January 2025",
     "SELECT id FROM bills WHERE sent_on >= '2024-12-01' AND sent_on < '2025-02-01'", ""},
    /* what lasts */
    {"who was there in the night from 28 to 29 June 2025",
     "SELECT id FROM stays WHERE check_in <= '2025-06-29' AND check_out >= '2025-06-28'",
     "overlap"},
    {"who was there in the night from 28 to 29 June 2025",
     "SELECT id FROM stays WHERE check_in <= '2025-06-28' AND check_out > '2025-06-28'", ""},
    {"stays in June 2025",
     "SELECT id FROM stays WHERE check_in <= '2025-06-30' AND check_out >= '2025-06-01'", ""},
    {"stays in June 2025",
     "SELECT id FROM stays WHERE check_in < '2025-06-01' AND check_out >= '2025-06-01'", "overlap"},
    {"what was occupied in June 2025",
     "SELECT id FROM stays WHERE check_in >= '2025-06-01' AND check_out < '2025-07-01'", "overlap"},
    /* another word for a date */
    {"stays with arrival in June 2025",
     "SELECT id FROM stays WHERE entered_on >= '2025-06-01' AND entered_on < '2025-07-01'",
     "date_beside"},
    {"stays with arrival in June 2025",
     "SELECT id FROM stays WHERE check_in >= '2025-06-01' AND check_in < '2025-07-01'", ""},
    {"Anreisen im Juni 2025",
     "SELECT id FROM stays WHERE check_out >= '2025-06-01' AND check_out < '2025-07-01'",
     "date_beside"},
    /* states and marks */
    {"completed stays", "SELECT COUNT(*) AS n FROM stays", "state_said"},
    {"stornierte stays", "SELECT COUNT(*) AS n FROM stays", "state_said"},
    {"completed stays", "SELECT COUNT(*) AS n FROM stays WHERE state = 'out'", ""},
    {"completed stays", "SELECT COUNT(*) AS n FROM stays WHERE check_out IS NOT NULL", ""},
    {"completed houses", "SELECT COUNT(*) AS n FROM houses", ""},
    {"sold houses", "SELECT COUNT(*) AS n FROM houses", "mark_said"},
    {"sold houses", "SELECT COUNT(*) AS n FROM houses WHERE is_sold = 1", ""},
    {"sold houses", "SELECT COUNT(*) AS n FROM houses WHERE name LIKE 'sold%'", ""},
    {"net minus gross", "SELECT SUM(rooms) AS n FROM houses", "minus"},
    {"net minus gross", "SELECT SUM(rooms - wall_cm) AS n FROM houses", ""},
    /* pieces */
    {"how many goods have we sold", "SELECT COUNT(*) AS n FROM lines", "pieces"},
    {"how many goods have we sold", "SELECT SUM(quantity) AS n FROM lines", ""},
    {"how many lines were sold", "SELECT COUNT(*) AS n FROM lines", ""},
    {"how many goods are there", "SELECT COUNT(*) AS n FROM lines", ""},
    {"average price per good sold", "SELECT AVG(unit_price) AS a FROM lines",
     "average_per unweighted"},
    {"average price per good sold",
     "SELECT 1.0 * SUM(unit_price * quantity) / SUM(quantity) AS a FROM lines", ""},
    {"average price", "SELECT AVG(unit_price) AS a FROM lines", ""},
    {"what we took",
     "SELECT SUM(l.quantity * g.list_price) AS s FROM lines l JOIN goods g ON g.id = l.good_id",
     "price_beside"},
    {"what we took by list",
     "SELECT SUM(l.quantity * g.list_price) AS s FROM lines l JOIN goods g ON g.id = l.good_id",
     ""},
    {"what we took", "SELECT SUM(quantity * unit_price) AS s FROM lines", ""},
    /* AND before OR */
    {"", "SELECT name FROM houses WHERE rooms > 3 AND city = 'Bonn' OR city = 'Ulm'", "and_or"},
    {"", "SELECT name FROM houses WHERE rooms > 3 AND (city = 'Bonn' OR city = 'Ulm')", ""},
    {"", "SELECT name FROM houses WHERE rooms > 3 AND city = 'Bonn' OR city = 'Ulm' AND id > 3",
     "and_or"},
    {"", "SELECT name FROM houses WHERE (rooms > 3 AND city = 'Bonn') OR (city = 'Ulm' AND id > 3)",
     ""},
    {"", "SELECT name FROM houses WHERE rooms > 3 AND city = 'Bonn' OR name = 'Ulm'", ""},
    /* which end, and how many */
    {"who has been here the longest", "SELECT surname FROM people ORDER BY hired_on DESC LIMIT 1",
     "other_end"},
    {"who has been here the longest", "SELECT surname FROM people ORDER BY hired_on LIMIT 1", ""},
    {"who is away the longest", "SELECT surname FROM people ORDER BY leave_until DESC LIMIT 1", ""},
    {"wer ist am längsten da", "SELECT surname FROM people ORDER BY hired_on DESC LIMIT 1",
     "other_end"},
    {"who was hired last, the newest", "SELECT MIN(hired_on) AS h FROM people", "other_end"},
    {"the oldest house", "SELECT name FROM houses ORDER BY rooms DESC LIMIT 1", ""},
    {"the 3 latest houses", "SELECT name FROM houses ORDER BY name LIMIT 3", "other_end"},
    {"the 3 latest houses", "SELECT name FROM houses ORDER BY id DESC LIMIT 3", ""},
    {"the house with the most rooms", "SELECT name FROM houses ORDER BY rooms LIMIT 1",
     "other_end"},
    {"the house with at least 3 rooms", "SELECT name FROM houses ORDER BY rooms DESC LIMIT 1", ""},
    {"the 3 cities most houses are in",
     "SELECT city, COUNT(*) AS n FROM houses GROUP BY city ORDER BY n DESC", "rows"},
    {"the 3 cities most houses are in",
     "SELECT city, COUNT(*) AS n FROM houses GROUP BY city ORDER BY n DESC LIMIT 3", ""},
    {"die drei Städte mit den meisten Häusern",
     "SELECT city, COUNT(*) AS n FROM houses GROUP BY city ORDER BY n DESC LIMIT 5", "rows"},
    {"top 5 cities", "SELECT city FROM houses ORDER BY rooms DESC LIMIT 3", "rows"},
    {"the most rooms of the last 7 days", "SELECT city FROM houses ORDER BY rooms DESC LIMIT 1",
     ""},
    {"most houses with more than 3 rooms", "SELECT city FROM houses WHERE rooms > 3", ""},
    /* who is above */
    {"who reports to Ann",
     "SELECT b.surname FROM people p JOIN people b ON b.id = p.boss_id WHERE p.surname = 'Ann'",
     "reference_turned"},
    {"who reports to Ann",
     "SELECT p.surname FROM people p JOIN people b ON b.id = p.boss_id WHERE b.surname = 'Ann'",
     ""},
    {"whom does Ann report to",
     "SELECT b.surname FROM people p JOIN people b ON b.id = p.boss_id WHERE p.surname = 'Ann'",
     ""},
    {"people bossed by Ann",
     "SELECT b.surname FROM people p JOIN people b ON b.id = p.boss_id WHERE p.surname = 'Ann'",
     "reference_turned"},
    /* the unit of the answer */
    {"what houses are insured for, in euros", "SELECT SUM(insured_cent) AS s FROM houses", "unit"},
    {"what houses are insured for, in euros", "SELECT SUM(insured_cent) / 100.0 AS s FROM houses",
     ""},
    {"what houses are insured for, in cents", "SELECT SUM(insured_cent) AS s FROM houses", ""},
    {"houses insured, in euros", "SELECT COUNT(insured_cent) AS n FROM houses WHERE rooms > 1", ""},
    /* one for each month */
    {"bills per month in 2025", "SELECT COUNT(*) AS n FROM bills WHERE sent_on >= '2025-01-01'",
     "per_period"},
    {"bills per house and month in 2025",
     "SELECT house_id, COUNT(*) AS n FROM bills WHERE sent_on >= '2025-01-01' GROUP BY house_id",
     "per_period"},
    {"bills per month in 2025",
     "SELECT strftime('%Y-%m', sent_on) AS m, COUNT(*) AS n FROM bills WHERE sent_on >= "
     "'2025-01-01' GROUP BY m",
     ""},
    {"Rechnungen pro Tag",
     "SELECT sent_on, COUNT(*) AS n FROM bills WHERE sent_on >= '2025-01-01' GROUP BY sent_on", ""},
    /* growth */
    {"by how much did bills grow",
     "SELECT SUM(sent_on < '2025-04-01') - SUM(sent_on >= '2025-04-01') AS n FROM bills",
     "difference_turned"},
    {"by how much did bills grow",
     "SELECT SUM(sent_on >= '2025-04-01') - SUM(sent_on < '2025-04-01') AS n FROM bills", ""},
    {"by how much did bills fall",
     "SELECT SUM(sent_on < '2025-04-01') - SUM(sent_on >= '2025-04-01') AS n FROM bills", ""},
    {"wie stark sind die Rechnungen gestiegen",
     "SELECT SUM(strftime('%Y', sent_on) = '2023') - SUM(strftime('%Y', sent_on) = '2024') AS n "
     "FROM bills",
     "difference_turned"},
    /* no average */
    {"the average amount", "SELECT SUM(amount_net) / 100.0 AS s FROM bills WHERE currency = 'EUR'",
     "no_average"},
    {"the average amount",
     "SELECT SUM(amount_net) / COUNT(*) AS s FROM bills WHERE currency = 'EUR'", ""},
    {"der durchschnittliche Betrag", "SELECT SUM(rooms) AS s FROM houses", "no_average"},
    {"what does net mean", "SELECT SUM(rooms) AS s FROM houses", ""},
    /* one place of several */
    {"which houses share second place",
     "SELECT name FROM houses ORDER BY rooms DESC LIMIT 1 OFFSET 1", "tie"},
    {"what share of rooms has place 1", "SELECT name FROM houses ORDER BY rooms DESC LIMIT 1", ""},
    /* the reference beside */
    {"visits per caretaker",
     "SELECT h.name, COUNT(*) AS n FROM houses h JOIN visits v ON v.house_id = h.id GROUP BY h.id",
     "reference_beside"},
    {"visits per house",
     "SELECT h.name, COUNT(*) AS n FROM houses h JOIN visits v ON v.house_id = h.id GROUP BY h.id",
     ""},
};

static void note(void *owner, const struct sql_doubt *doubt)
{
    char *said = owner;
    assert_true(!str_is_absent(doubt->told) && !str_is_absent(doubt->shown));
    snprintf(said + strlen(said), SAID_BYTES - strlen(said), "%s%s", said[0] == '\0' ? "" : " ",
             doubt->kind);
}

TEST(what_the_form_shows)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < countof(cases); i++) {
        struct arena arena;
        const struct sql_parse *parse = NULL;
        const char *rule;
        char said[SAID_BYTES] = "";
        arena_init(&arena, ARENA_BYTES);
        if (sql_parse_statement(SQL_SQLITE, str_of(cases[i].sql), catalog, &arena, &parse, &rule,
                                &err) != ERR_OK)
            fail_msg("%s: %s", cases[i].sql, err.text);
        sql_doubts_find(&(struct sql_doubts_source){.parse = parse,
                                                    .catalog = catalog,
                                                    .question = str_of(cases[i].question),
                                                    .arena = &arena},
                        note, said);
        EXPECT_STR(cases[i].sql, str_of(said), str_of(cases[i].said));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* A unit that all rows share mixes nothing. */
static bool has_one(void *owner, int table, int column)
{
    assert_true(table >= 0 && column >= 0);
    (*(size_t *)owner)++;
    return false;
}

TEST(units_that_are_one)
{
    struct catalog *catalog = NULL;
    struct arena arena;
    struct err err = {0};
    const struct sql_parse *parse = NULL;
    const char *rule;
    char said[SAID_BYTES] = "";
    size_t asked = 0;
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    arena_init(&arena, ARENA_BYTES);
    assert_int_equal(sql_parse_statement(SQL_SQLITE, STR("SELECT SUM(amount_net) FROM bills"),
                                         catalog, &arena, &parse, &rule, &err),
                     ERR_OK);
    sql_doubts_find(&(struct sql_doubts_source){.parse = parse,
                                                .catalog = catalog,
                                                .question = STR("net"),
                                                .arena = &arena,
                                                .has_several = has_one,
                                                .owner = &asked},
                    note, said);
    assert_string_equal(said, "");
    assert_int_equal(asked, 1);
    arena_fini(&arena);
    catalog_destroy(catalog);
}

/* What "last week" is, another module knows. */
static bool last_week(void *owner, struct str question, struct sql_doubts_period *period)
{
    assert_null(owner);
    *period = (struct sql_doubts_period){calendar_day(2025, 6, 23), calendar_day(2025, 6, 30),
                                         STR("last week"), str_equal(question, STR("rolling"))};
    return !str_equal(question, STR("none"));
}

TEST(periods_that_others_know)
{
    static const struct {
        const char *question, *where, *said;
    } days[] = {
        {"last week", "sent_on >= '2025-06-16' AND sent_on < '2025-06-23'", "period"},
        {"last week", "sent_on >= '2025-06-23' AND sent_on <= '2025-06-29'", ""},
        {"last week", "sent_on BETWEEN '2025-06-23' AND '2025-06-29'", ""},
        {"last week", "sent_on >= '2025-06-22' AND sent_on <= '2025-06-29'", "period"},
        {"rolling", "sent_on >= '2025-06-22' AND sent_on <= '2025-06-29'", ""},
        {"none", "sent_on >= '2025-06-16' AND sent_on < '2025-06-23'", ""},
        {"last week", "sent_on >= date('now', '-7 days')", ""},
        {"last week", "status = 'open'", ""},
    };
    struct catalog *catalog = NULL;
    struct err err = {0};
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, days) {
        struct arena arena;
        const struct sql_parse *parse = NULL;
        const char *rule;
        char said[SAID_BYTES] = "";
        arena_init(&arena, ARENA_BYTES);
        struct str sql = arena_printf(&arena, "SELECT id FROM bills WHERE %s", c->where);
        assert_int_equal(sql_parse_statement(SQL_SQLITE, sql, catalog, &arena, &parse, &rule, &err),
                         ERR_OK);
        sql_doubts_find(&(struct sql_doubts_source){.parse = parse,
                                                    .catalog = catalog,
                                                    .question = str_of(c->question),
                                                    .arena = &arena,
                                                    .period = last_week},
                        note, said);
        EXPECT_STR(c->where, str_of(said), str_of(c->said));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

RUN_TESTS(T(what_the_form_shows), T(units_that_are_one), T(periods_that_others_know))
