-- What the upstream takes for the tokens that were charged, at its cost when they were. Null: its cost was not set, the
-- estimate went back, another process ended the hold, or an older version did.
ALTER TABLE service.hold ADD COLUMN upstream_cost_micro_rub bigint;
