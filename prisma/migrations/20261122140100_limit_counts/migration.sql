-- How many requests each instant stands for (none said: one), and how many of those that asked last were accepted: the
-- row is written anew with each statement, so what it keeps has to be small.
--
-- A process of the version before may go on beside this. What it adds counts for one. It takes each instant that it
-- reads for one request, too: up to a limit of 120, so for all but accounts with a limit of their own above that, each is
-- one. Such an account may be accepted more often than its limit says until that process has ended.
ALTER TABLE "service"."rate_limit"
    ADD COLUMN "accepted_count" INTEGER[],
    ADD COLUMN "last_accepted" INTEGER NOT NULL DEFAULT 0;
