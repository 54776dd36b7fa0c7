-- Presses ask for attempts as /retry does: of both it is known which attempt is theirs.
DROP INDEX "bot"."turn_chat_id_command_id_key";
ALTER TABLE "bot"."turn" DROP COLUMN "command_id", ADD COLUMN "origin_key" TEXT;
CREATE UNIQUE INDEX "turn_origin_key_key" ON "bot"."turn"("origin_key");
