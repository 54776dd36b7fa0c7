-- The updates of a conversation are noted in order, beside the turn that runs there; what wants a turn of its own
-- waits for it after that.
ALTER TABLE "bot"."update" ADD COLUMN "noted_at" TIMESTAMPTZ(6),
  ADD COLUMN "is_beside" BOOLEAN NOT NULL DEFAULT false;

-- Of a conversation at most one update has the turn, and at most one is being noted, whichever process leases.
DROP INDEX "bot"."update_conversation_key_leased_key";
CREATE UNIQUE INDEX "update_conversation_key_turn_key" ON "bot"."update" ("conversation_key")
  WHERE "lease_owner" IS NOT NULL AND "released_at" IS NULL AND NOT "is_beside";
CREATE UNIQUE INDEX "update_conversation_key_noting_key" ON "bot"."update" ("conversation_key")
  WHERE "lease_owner" IS NOT NULL AND "released_at" IS NULL AND "noted_at" IS NULL;

-- Turns that wait, which are few, by where they do. Prisma's schema language cannot say it.
CREATE INDEX "turn_waiting_idx" ON "bot"."turn" ("chat_id", "thread_id") WHERE "state" = 'waiting';
