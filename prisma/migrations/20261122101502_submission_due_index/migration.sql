-- Orders that wait for their user's others, and those that were cancelled, are visited with those that are
-- submitted (src/bot/media/orders.ts). A value of an enum is used by a later migration than the one that adds it.
DROP INDEX "bot"."order_submission_due_idx";
CREATE INDEX "order_submission_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" IN ('waiting', 'placed', 'submitted', 'cancelled') AND "due_at" IS NOT NULL;
