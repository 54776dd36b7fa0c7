-- Running totals in place of counts: how many requests are in the window is one subtraction, however many instants the
-- row has. Only rows of limits above 100 have them; in others there is one instant for each request, as a process of the
-- version before reads and writes them.
ALTER TABLE "service"."rate_limit"
    DROP COLUMN "accepted_count",
    ADD COLUMN "accepted_total" BIGINT[];
