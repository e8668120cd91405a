-- mysql_remasked.sql - other values wherever the policy "tenant_masks" hides them: what the masks leave
-- of them is what it was.
UPDATE `shipment` SET label = concat('L', id), status = concat('CANARY-S-', id), `weightKg` = 7 - id;
UPDATE `depot` SET name = concat('N', id), city = concat('CANARY-C-', id);
UPDATE `shipmentLine` SET remark = concat('CNRY', id) WHERE remark IS NOT NULL AND length(remark) < 8;
UPDATE `parcelScan` SET device = concat('D', id) WHERE length(device) < 8;
UPDATE `shelf` SET zone = concat('CANARY-Z-', `depotId`);
UPDATE driver SET name = concat('CANARY-X', id) WHERE id < 3;
