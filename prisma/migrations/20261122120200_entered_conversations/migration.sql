-- A thread is in the conversation that was entered last; until now that was its newest one.
ALTER TABLE "bot"."conversation" ADD COLUMN "title" TEXT, ADD COLUMN "entered_at" TIMESTAMPTZ(6);
UPDATE "bot"."conversation" SET "entered_at" = "created_at";
ALTER TABLE "bot"."conversation" ALTER COLUMN "entered_at" SET DEFAULT clock_timestamp(),
    ALTER COLUMN "entered_at" SET NOT NULL;
CREATE INDEX "conversation_chat_id_thread_id_entered_at_id_idx"
    ON "bot"."conversation"("chat_id", "thread_id", "entered_at", "id");
DROP INDEX "bot"."conversation_chat_id_thread_id_id_idx";
