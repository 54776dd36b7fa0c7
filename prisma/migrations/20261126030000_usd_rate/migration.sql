-- The rate by which a hold's prices were counted from dollars: who compares a charge with the provider's bill needs it.
-- Null: they were set in roubles, or an older version took the hold.
ALTER TABLE service.hold ADD COLUMN usd_micro_rub bigint;
