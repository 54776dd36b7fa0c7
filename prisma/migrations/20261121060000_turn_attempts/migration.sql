-- AlterEnum
ALTER TYPE "bot"."turn_state" ADD VALUE 'held';
ALTER TYPE "bot"."turn_state" ADD VALUE 'declined';

-- CreateEnum
CREATE TYPE "bot"."held_reason" AS ENUM ('late', 'too_long', 'edited');

-- AlterTable
ALTER TABLE "bot"."conversation" ADD COLUMN "warned_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "bot"."turn"
    ADD COLUMN "attempt" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "replaces_id" BIGINT,
    ADD COLUMN "sent_at" TIMESTAMPTZ(3),
    ADD COLUMN "held_reason" "bot"."held_reason",
    ADD COLUMN "stop_requested_at" TIMESTAMPTZ(3),
    ADD COLUMN "set_aside_at" TIMESTAMPTZ(3),
    ADD COLUMN "context_percent" INTEGER;

-- DropIndex
DROP INDEX "bot"."turn_chat_id_prompt_message_id_key";

-- CreateIndex
CREATE UNIQUE INDEX "turn_chat_id_prompt_message_id_attempt_key" ON "bot"."turn"("chat_id", "prompt_message_id", "attempt");

-- CreateIndex
CREATE UNIQUE INDEX "turn_replaces_id_key" ON "bot"."turn"("replaces_id");

-- CreateIndex
CREATE INDEX "turn_conversation_id_id_idx" ON "bot"."turn"("conversation_id", "id");

-- The turn of a place that can be stopped.
CREATE INDEX "turn_streaming_idx" ON "bot"."turn"("chat_id", "thread_id") WHERE "state" = 'streaming';
