-- One index for each kind of work on orders, with its condition (src/bot/media/orders.ts): what looks for
-- finished orders does not pass by all that are being made.
DROP INDEX "bot"."order_due_idx";
CREATE INDEX "order_submission_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" IN ('placed', 'submitted') AND "due_at" IS NOT NULL;
CREATE INDEX "order_polling_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" = 'generating' AND "due_at" IS NOT NULL;
CREATE INDEX "order_delivery_due_idx" ON "bot"."order" ("due_at")
    WHERE "state" IN ('ready', 'failed') AND "due_at" IS NOT NULL;
