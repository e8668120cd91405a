-- sqlite_remasked.sql - other values wherever the policy "tenant_masks" hides them: what the masks leave
-- of them is what it was.
UPDATE "shipment" SET label = 'L' || id, status = 'CANARY-S-' || id, "weightKg" = 7 - id;
UPDATE "depot" SET name = 'N' || id, city = 'CANARY-C-' || id;
UPDATE "shipmentLine" SET remark = 'CNRY' || id WHERE remark IS NOT NULL AND length(remark) < 8;
UPDATE "parcelScan" SET device = 'D' || id WHERE length(device) < 8;
UPDATE "shelf" SET zone = 'CANARY-Z-' || "depotId";
UPDATE driver SET name = 'CANARY-X' || id WHERE id < 3;
