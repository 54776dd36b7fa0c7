-- A file of charges is read in the order of their days, a batch at a time, each beginning where the last one ended.
CREATE INDEX "charge_day_id_idx" ON "bot"."charge"("day", "id");
