-- mysql_alone.sql - leaves nothing in the guard's world but what company 'acme' may see.
DELETE FROM `shipment` WHERE label LIKE 'CANARY%';
DELETE FROM `depot` WHERE name LIKE 'CANARY%';
DELETE FROM `shipmentLine` WHERE remark LIKE 'CANARY%';
DELETE FROM `legacyPing`;
DELETE FROM `deviceLease`;
DELETE FROM `company` WHERE id <> 'acme';
DELETE FROM `parcelEvent` WHERE what LIKE 'CANARY%';
DELETE FROM `parcelScan` WHERE device LIKE 'CANARY%';
DELETE FROM `shelf` WHERE zone LIKE 'CANARY%';
DELETE FROM `shelfItem` WHERE bin LIKE 'CANARY%';
DELETE FROM `crew` WHERE name LIKE 'CANARY%';
DELETE FROM `crewMember` WHERE nick LIKE 'CANARY%';
DELETE FROM `tariff` WHERE label LIKE 'CANARY%';
DELETE FROM `driver` WHERE licence = 'CANARY-LIC-3';
DELETE FROM `drive` WHERE route LIKE 'CANARY%';
