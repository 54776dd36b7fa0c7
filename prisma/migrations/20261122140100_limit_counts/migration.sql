-- How many requests each instant stands for, and how many of those that asked last were accepted: the row is
-- written anew with each statement, so what it keeps has to be small. There is one row per account and route.
ALTER TABLE "service"."rate_limit"
    ADD COLUMN "accepted_count" INTEGER[],
    ADD COLUMN "last_accepted" INTEGER NOT NULL DEFAULT 0;
UPDATE "service"."rate_limit" SET "accepted_count" = array_fill(1, ARRAY[cardinality("accepted_at")]);
