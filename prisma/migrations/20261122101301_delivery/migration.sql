-- What is known of the delivery of an order's results: whom it waits for, how often it came to nothing, and
-- whether an album of them may stand in the chat already.
ALTER TABLE "bot"."order"
  ADD COLUMN "parked_at" TIMESTAMPTZ(3),
  ADD COLUMN "failed_deliveries" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "sending_since" TIMESTAMPTZ(3);
-- Few are ready at a time: for the chat that takes messages again.
CREATE INDEX "order_ready_idx" ON "bot"."order" ("chat_id") WHERE "state" = 'ready';
