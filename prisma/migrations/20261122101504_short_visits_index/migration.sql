-- Orders that wait for their user's others, and those that were cancelled, are visited for a moment: not among
-- those that wait in the queue (src/bot/media/orders.ts).
DROP INDEX "bot"."order_submission_due_idx";
CREATE INDEX "order_submission_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" IN ('placed', 'submitted') AND "due_at" IS NOT NULL;
CREATE INDEX "order_aside_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" IN ('waiting', 'cancelled') AND "due_at" IS NOT NULL;
