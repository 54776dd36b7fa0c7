-- A /retry that is handled twice makes one attempt.
ALTER TABLE "bot"."turn" ADD COLUMN "command_id" INTEGER;
CREATE UNIQUE INDEX "turn_chat_id_command_id_key" ON "bot"."turn"("chat_id", "command_id");
-- Which turn of a thread is the last one is asked with every answer.
CREATE INDEX "turn_chat_id_thread_id_id_idx" ON "bot"."turn"("chat_id", "thread_id", "id");
