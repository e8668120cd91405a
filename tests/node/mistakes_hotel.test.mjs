// SPDX-License-Identifier: MIT
// tests/node/mistakes_hotel.test.mjs - harmful mistakes in statements about hotels whose tables are named in PascalCase. They
// were written by somebody who knew neither code nor tests: of the 40 mistakes 18 passed unseen the first time.
import { becomes } from './lib/mistakes.mjs';

becomes([
  // value spelling
  ['How many reservations ended as a no-show?', "SELECT COUNT(*) FROM Reservation WHERE ReservationStatus = 'No-Show'", "SELECT COUNT(*) FROM Reservation WHERE ReservationStatus = 'NoShow'"],
  // value case
  ['What did heating repairs cost us in total?', "SELECT SUM(RepairCost) FROM MaintenanceTicket WHERE IssueCategory = 'heating'", "SELECT SUM(RepairCost) FROM MaintenanceTicket WHERE IssueCategory = 'Heating'"],
  ['room revenue of checked-out stays that came through booking.com', "SELECT SUM(TotalAmount) FROM Reservation WHERE BookingChannel = 'booking.com' AND ReservationStatus = 'CheckedOut'", "SELECT SUM(TotalAmount) FROM Reservation WHERE BookingChannel = 'Booking.com' AND ReservationStatus = 'CheckedOut'"],
  // boolean as text
  ['Which of our hotels have a restaurant?', "SELECT HotelName FROM Hotel WHERE HasRestaurant = 'Yes'", 'SELECT HotelName FROM Hotel WHERE HasRestaurant = 1'],
  // date boundary
  ['How many bookings were taken in May 2025?', "SELECT COUNT(*) FROM Reservation WHERE BookingDate BETWEEN '2025-05-01' AND '2025-05-31'", "SELECT COUNT(*) FROM Reservation WHERE BookingDate >= '2025-05-01' AND BookingDate < '2025-06-01'"],
  ['number of arrivals from 1 to 15 June 2025, both days included', "SELECT COUNT(*) FROM Reservation WHERE CheckInDate > '2025-06-01' AND CheckInDate < '2025-06-15'", "SELECT COUNT(*) FROM Reservation WHERE CheckInDate BETWEEN '2025-06-01' AND '2025-06-15'"],
  // period off
  ['Which reservations checked out last week (Monday to Sunday)?', "SELECT ReservationID, CheckOutDate FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2025-06-16' AND CheckOutDate <= '2025-06-22'", "SELECT ReservationID, CheckOutDate FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2025-06-23' AND CheckOutDate <= '2025-06-29'"],
  ['room total of completed stays with check-out in the last quarter', "SELECT SUM(TotalAmount) FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2025-04-01' AND CheckOutDate < '2025-07-01'", "SELECT SUM(TotalAmount) FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2025-01-01' AND CheckOutDate < '2025-04-01'"],
  // wrong column
  ['How many reservations had their arrival in August 2024?', "SELECT COUNT(*) FROM Reservation WHERE BookingDate >= '2024-08-01' AND BookingDate < '2024-09-01'", "SELECT COUNT(*) FROM Reservation WHERE CheckInDate >= '2024-08-01' AND CheckInDate < '2024-09-01'"],
  ['What did we take with massages in 2024?', "SELECT SUM(c.Quantity * i.ListPrice) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Massage' AND c.ChargeDate >= '2024-01-01' AND c.ChargeDate < '2025-01-01'", "SELECT SUM(c.Quantity * c.UnitPrice) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Massage' AND c.ChargeDate >= '2024-01-01' AND c.ChargeDate < '2025-01-01'"],
  ['average cleanliness score per hotel', 'SELECT h.HotelName, AVG(v.OverallScore) FROM Reservation r JOIN Room m ON m.RoomID = r.RoomID JOIN Hotel h ON h.HotelID = m.HotelID JOIN GuestReview v ON v.ReservationID = r.ReservationID GROUP BY h.HotelID, h.HotelName', 'SELECT h.HotelName, AVG(v.CleanlinessScore) FROM Reservation r JOIN Room m ON m.RoomID = r.RoomID JOIN Hotel h ON h.HotelID = m.HotelID JOIN GuestReview v ON v.ReservationID = r.ReservationID GROUP BY h.HotelID, h.HotelName'],
  // fan out
  ['total room amount of checked-out stays that bought at least one extra', "SELECT SUM(r.TotalAmount) FROM Reservation r JOIN ServiceCharge c ON c.ReservationID = r.ReservationID WHERE r.ReservationStatus = 'CheckedOut'", "SELECT SUM(r.TotalAmount) FROM Reservation r WHERE r.ReservationStatus = 'CheckedOut' AND EXISTS (SELECT 1 FROM ServiceCharge c WHERE c.ReservationID = r.ReservationID)"],
  ['per booking channel: money received (without refunds) and extras charged', 'SELECT r.BookingChannel, SUM(p.Amount) AS Received, SUM(c.Quantity * c.UnitPrice) AS Extras FROM Reservation r LEFT JOIN Payment p ON p.ReservationID = r.ReservationID AND p.IsRefund = 0 LEFT JOIN ServiceCharge c ON c.ReservationID = r.ReservationID GROUP BY r.BookingChannel', 'SELECT r.BookingChannel, SUM((SELECT SUM(p.Amount) FROM Payment p WHERE p.ReservationID = r.ReservationID AND p.IsRefund = 0)) AS Received, SUM((SELECT SUM(c.Quantity * c.UnitPrice) FROM ServiceCharge c WHERE c.ReservationID = r.ReservationID)) AS Extras FROM Reservation r GROUP BY r.BookingChannel'],
  // missing distinct
  ['How many different guests completed a stay in 2024?', "SELECT COUNT(GuestID) FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2024-01-01' AND CheckOutDate < '2025-01-01'", "SELECT COUNT(DISTINCT GuestID) FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckOutDate >= '2024-01-01' AND CheckOutDate < '2025-01-01'"],
  // missing filter
  ['How many nights in all were sold to completed stays with arrival in 2024?', "SELECT SUM(julianday(CheckOutDate) - julianday(CheckInDate)) FROM Reservation WHERE CheckInDate >= '2024-01-01' AND CheckInDate < '2025-01-01'", "SELECT SUM(julianday(CheckOutDate) - julianday(CheckInDate)) FROM Reservation WHERE ReservationStatus = 'CheckedOut' AND CheckInDate >= '2024-01-01' AND CheckInDate < '2025-01-01'"],
  // and or precedence
  ['Number of website or phone bookings that were cancelled', "SELECT COUNT(*) FROM Reservation WHERE BookingChannel = 'Website' OR BookingChannel = 'Phone' AND ReservationStatus = 'Cancelled'", "SELECT COUNT(*) FROM Reservation WHERE BookingChannel IN ('Website', 'Phone') AND ReservationStatus = 'Cancelled'"],
  ['Room numbers of suites and junior suites at Castle View Hotel', "SELECT m.RoomNumber FROM Room m JOIN Hotel h ON h.HotelID = m.HotelID JOIN RoomType t ON t.RoomTypeID = m.RoomTypeID WHERE h.HotelName = 'Castle View Hotel' AND t.RoomTypeName = 'Suite' OR t.RoomTypeName = 'Junior Suite'", "SELECT m.RoomNumber FROM Room m JOIN Hotel h ON h.HotelID = m.HotelID JOIN RoomType t ON t.RoomTypeID = m.RoomTypeID WHERE h.HotelName = 'Castle View Hotel' AND t.RoomTypeName IN ('Suite', 'Junior Suite')"],
  // avg of avgs
  ['What is the average overall score of all our reviews?', 'SELECT AVG(s) FROM (SELECT AVG(v.OverallScore) AS s FROM Reservation r JOIN Room m ON m.RoomID = r.RoomID JOIN Hotel h ON h.HotelID = m.HotelID JOIN GuestReview v ON v.ReservationID = r.ReservationID GROUP BY h.HotelID)', 'SELECT AVG(OverallScore) FROM GuestReview'],
  // unweighted average
  ['average price we got per breakfast sold', "SELECT AVG(c.UnitPrice) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Breakfast'", "SELECT SUM(c.Quantity * c.UnitPrice) * 1.0 / SUM(c.Quantity) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Breakfast'"],
  // wrong order
  ['Who of the current staff has been with us the longest?', 'SELECT EmployeeFirstName, EmployeeLastName, HireDate FROM Employee WHERE TerminationDate IS NULL ORDER BY HireDate DESC LIMIT 1', 'SELECT EmployeeFirstName, EmployeeLastName, HireDate FROM Employee WHERE TerminationDate IS NULL ORDER BY HireDate ASC LIMIT 1'],
  // limit ties
  ['Which reservations have the highest nightly rate?', 'SELECT ReservationID, NightlyRate FROM Reservation ORDER BY NightlyRate DESC LIMIT 1', 'SELECT ReservationID, NightlyRate FROM Reservation WHERE NightlyRate = (SELECT MAX(NightlyRate) FROM Reservation)'],
  // forgotten limit
  ['The 3 countries most of our guests come from', 'SELECT CountryName, COUNT(*) AS n FROM Guest GROUP BY CountryName ORDER BY n DESC', 'SELECT CountryName, COUNT(*) AS n FROM Guest GROUP BY CountryName ORDER BY n DESC LIMIT 3'],
  // integer division
  ['What percentage of reviews did we respond to?', 'SELECT COUNT(ResponseDate) / COUNT(*) * 100 FROM GuestReview', 'SELECT 100.0 * COUNT(ResponseDate) / COUNT(*) FROM GuestReview'],
  // percent fraction
  ['how many percent of payments (refunds left out) were made in cash?', "SELECT 1.0 * SUM(CASE WHEN PaymentMethod = 'Cash' THEN 1 ELSE 0 END) / COUNT(*) FROM Payment WHERE IsRefund = 0", "SELECT 100.0 * SUM(CASE WHEN PaymentMethod = 'Cash' THEN 1 ELSE 0 END) / COUNT(*) FROM Payment WHERE IsRefund = 0"],
  // not in null
  ['Guests who have not referred anybody', 'SELECT GuestFirstName, GuestLastName FROM Guest WHERE GuestID NOT IN (SELECT ReferredByGuestID FROM Guest)', 'SELECT g.GuestFirstName, g.GuestLastName FROM Guest g WHERE NOT EXISTS (SELECT 1 FROM Guest x WHERE x.ReferredByGuestID = g.GuestID)'],
  ['Which employees never took a booking themselves?', 'SELECT EmployeeFirstName, EmployeeLastName FROM Employee WHERE EmployeeID NOT IN (SELECT BookedByEmployeeID FROM Reservation)', 'SELECT e.EmployeeFirstName, e.EmployeeLastName FROM Employee e WHERE NOT EXISTS (SELECT 1 FROM Reservation r WHERE r.BookedByEmployeeID = e.EmployeeID)'],
  // null comparison
  ['number of guests who are not gold members', "SELECT COUNT(*) FROM Guest WHERE LoyaltyTier <> 'Gold'", "SELECT COUNT(*) FROM Guest WHERE LoyaltyTier IS NULL OR LoyaltyTier <> 'Gold'"],
  // having where
  ['Guests whose reservations add up to more than 2000, with the total', 'SELECT g.GuestFirstName, g.GuestLastName, SUM(r.TotalAmount) FROM Guest g JOIN Reservation r ON r.GuestID = g.GuestID WHERE r.TotalAmount > 2000 GROUP BY g.GuestID, g.GuestFirstName, g.GuestLastName', 'SELECT g.GuestFirstName, g.GuestLastName, SUM(r.TotalAmount) FROM Guest g JOIN Reservation r ON r.GuestID = g.GuestID GROUP BY g.GuestID, g.GuestFirstName, g.GuestLastName HAVING SUM(r.TotalAmount) > 2000'],
  // wrong grain
  ['How much is paid for a reservation on average (refunds left out)?', 'SELECT AVG(Amount) FROM Payment WHERE IsRefund = 0', 'SELECT AVG(t) FROM (SELECT SUM(Amount) AS t FROM Payment WHERE IsRefund = 0 GROUP BY ReservationID)'],
  // outer to inner
  ['Maintenance tickets per room at Parade House, rooms with none as well', "SELECT m.RoomNumber, COUNT(t.MaintenanceTicketID) FROM Room m JOIN Hotel h ON h.HotelID = m.HotelID JOIN MaintenanceTicket t ON t.RoomID = m.RoomID WHERE h.HotelName = 'Parade House' GROUP BY m.RoomID, m.RoomNumber", "SELECT m.RoomNumber, COUNT(t.MaintenanceTicketID) FROM Room m JOIN Hotel h ON h.HotelID = m.HotelID LEFT JOIN MaintenanceTicket t ON t.RoomID = m.RoomID WHERE h.HotelName = 'Parade House' GROUP BY m.RoomID, m.RoomNumber"],
  // where on outer
  ['Quantity sold in June 2025 of every service item, 0 for those not sold', "SELECT i.ItemName, COALESCE(SUM(c.Quantity), 0) FROM ServiceItem i LEFT JOIN ServiceCharge c ON c.ServiceItemID = i.ServiceItemID WHERE c.ChargeDate >= '2025-06-01' AND c.ChargeDate < '2025-07-01' GROUP BY i.ServiceItemID, i.ItemName", "SELECT i.ItemName, COALESCE(SUM(c.Quantity), 0) FROM ServiceItem i LEFT JOIN ServiceCharge c ON c.ServiceItemID = i.ServiceItemID AND c.ChargeDate >= '2025-06-01' AND c.ChargeDate < '2025-07-01' GROUP BY i.ServiceItemID, i.ItemName"],
  // wrong join
  ['Which guests gave us 5 stars overall?', 'SELECT DISTINCT g.GuestFirstName, g.GuestLastName FROM GuestReview v JOIN Guest g ON g.GuestID = v.ReservationID WHERE v.OverallScore = 5', 'SELECT DISTINCT g.GuestFirstName, g.GuestLastName FROM GuestReview v JOIN Reservation r ON r.ReservationID = v.ReservationID JOIN Guest g ON g.GuestID = r.GuestID WHERE v.OverallScore = 5'],
  // missing group
  ['Number of reservations per room, with hotel', 'SELECT h.HotelName, m.RoomNumber, COUNT(*) FROM Reservation r JOIN Room m ON m.RoomID = r.RoomID JOIN Hotel h ON h.HotelID = m.HotelID GROUP BY m.RoomNumber', 'SELECT h.HotelName, m.RoomNumber, COUNT(*) FROM Reservation r JOIN Room m ON m.RoomID = r.RoomID JOIN Hotel h ON h.HotelID = m.HotelID GROUP BY m.RoomID, h.HotelName, m.RoomNumber'],
  // nullable count
  ['cleaning tasks done per housekeeper', 'SELECT e.EmployeeFirstName, e.EmployeeLastName, COUNT(c.DurationMinutes) FROM CleaningTask c JOIN Employee e ON e.EmployeeID = c.EmployeeID GROUP BY e.EmployeeID, e.EmployeeFirstName, e.EmployeeLastName', 'SELECT e.EmployeeFirstName, e.EmployeeLastName, COUNT(*) FROM CleaningTask c JOIN Employee e ON e.EmployeeID = c.EmployeeID GROUP BY e.EmployeeID, e.EmployeeFirstName, e.EmployeeLastName'],
  // is null inner
  ['Rooms that never had a maintenance ticket', 'SELECT m.RoomID, m.RoomNumber FROM Room m JOIN MaintenanceTicket t ON t.RoomID = m.RoomID WHERE t.MaintenanceTicketID IS NULL', 'SELECT m.RoomID, m.RoomNumber FROM Room m LEFT JOIN MaintenanceTicket t ON t.RoomID = m.RoomID WHERE t.MaintenanceTicketID IS NULL'],
  // wrong direction
  ['who reports to Margaret Doyle', "SELECT b.EmployeeFirstName, b.EmployeeLastName FROM Employee e JOIN Employee b ON b.EmployeeID = e.ManagerID WHERE e.EmployeeFirstName = 'Margaret' AND e.EmployeeLastName = 'Doyle'", "SELECT e.EmployeeFirstName, e.EmployeeLastName FROM Employee e JOIN Employee b ON b.EmployeeID = e.ManagerID WHERE b.EmployeeFirstName = 'Margaret' AND b.EmployeeLastName = 'Doyle'"],
  // interval boundary
  ['How many rooms were occupied in the night from 28 to 29 June 2025 (cancelled and no-show left out)?', "SELECT COUNT(DISTINCT RoomID) FROM Reservation WHERE CheckInDate <= '2025-06-29' AND CheckOutDate >= '2025-06-28' AND ReservationStatus NOT IN ('Cancelled', 'NoShow')", "SELECT COUNT(DISTINCT RoomID) FROM Reservation WHERE CheckInDate <= '2025-06-28' AND CheckOutDate > '2025-06-28' AND ReservationStatus NOT IN ('Cancelled', 'NoShow')"],
  // wrong sign
  ['Payments minus refunds in 2024', "SELECT SUM(Amount) FROM Payment WHERE PaymentDate >= '2024-01-01' AND PaymentDate < '2025-01-01'", "SELECT SUM(CASE WHEN IsRefund = 1 THEN -Amount ELSE Amount END) FROM Payment WHERE PaymentDate >= '2024-01-01' AND PaymentDate < '2025-01-01'"],
  // count vs sum
  ['how many bike hires have we sold', "SELECT COUNT(*) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Bike Hire'", "SELECT SUM(c.Quantity) FROM ServiceCharge c JOIN ServiceItem i ON i.ServiceItemID = c.ServiceItemID WHERE i.ItemName = 'Bike Hire'"],
  // ignored not
  ['How many payments were not made by credit card?', "SELECT COUNT(*) FROM Payment WHERE PaymentMethod = 'Credit Card'", "SELECT COUNT(*) FROM Payment WHERE PaymentMethod <> 'Credit Card'"],
], 'hotel');
