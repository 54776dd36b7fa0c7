-- AlterTable
ALTER TABLE "bot"."update" ALTER COLUMN "payload" DROP NOT NULL,
  ADD COLUMN "line" TEXT,
  ADD COLUMN "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "ready_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "part_of" BIGINT,
  ADD COLUMN "owner" INTEGER,
  ADD COLUMN "claimed_at" TIMESTAMPTZ(3),
  ADD COLUMN "passed_at" TIMESTAMPTZ(3),
  ADD COLUMN "handled_at" TIMESTAMPTZ(3);

-- What an earlier version left is handled in order, too.
UPDATE "bot"."update" SET
  "line" = ("payload" #>> '{message,chat,id}') || ' 0',
  "sent_at" = coalesce(to_timestamp(("payload" #>> '{message,date}')::bigint), "received_at");

-- CreateIndex
CREATE INDEX "update_received_at_id_idx" ON "bot"."update"("received_at", "id");

-- Of a line at most one update is being handled, whoever claims.
CREATE UNIQUE INDEX "update_line_owned_key" ON "bot"."update"("line")
  WHERE "owner" IS NOT NULL AND "passed_at" IS NULL;

CREATE INDEX "update_waiting_idx" ON "bot"."update"("sent_at", "id")
  WHERE "handled_at" IS NULL AND "owner" IS NULL AND "part_of" IS NULL;

CREATE INDEX "update_line_idx" ON "bot"."update"("line", "sent_at", "id")
  WHERE "passed_at" IS NULL;

CREATE INDEX "update_owner_idx" ON "bot"."update"("owner") WHERE "owner" IS NOT NULL;
