-- Why the balance moved by something else than what was charged, from the first reading to each: a check goes on from
-- the last one that tells. Those that are there, and those of a process of the version before, do not.
ALTER TABLE "bot"."balance_reading"
ADD COLUMN "cause_written_off" BIGINT,
ADD COLUMN "cause_estimates" BIGINT,
ADD COLUMN "cause_under_way" BIGINT,
ADD COLUMN "cause_credited" BIGINT,
ADD COLUMN "cause_not_ours" BIGINT;
CREATE INDEX "balance_reading_known_idx" ON "bot"."balance_reading" ("id") WHERE "cause_written_off" IS NOT NULL;
