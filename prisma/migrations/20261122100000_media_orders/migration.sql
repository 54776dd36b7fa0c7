-- Orders of pictures and sounds beside clips, made by commands, cards and buttons alike.
CREATE TYPE "bot"."media_kind" AS ENUM ('video', 'image', 'sound');
ALTER TYPE "bot"."order_state" ADD VALUE 'cancelled';

ALTER TABLE "bot"."order" RENAME COLUMN "command_message_id" TO "reply_to_message_id";
ALTER TABLE "bot"."order" RENAME COLUMN "clip_message_id" TO "result_message_id";
ALTER TABLE "bot"."order"
  ADD COLUMN "kind" "bot"."media_kind" NOT NULL DEFAULT 'video',
  ADD COLUMN "origin_key" TEXT,
  ADD COLUMN "price_estimated" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "result_urls" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "generating_at" TIMESTAMPTZ(3);
UPDATE "bot"."order" SET
  "origin_key" = 'message ' || "chat_id" || ' ' || "reply_to_message_id",
  "result_urls" = CASE WHEN "result_url" IS NULL THEN '{}' ELSE ARRAY["result_url"] END,
  "generating_at" = CASE WHEN "task_id" IS NULL THEN NULL ELSE "created_at" END;
ALTER TABLE "bot"."order" ALTER COLUMN "kind" DROP DEFAULT, ALTER COLUMN "origin_key" SET NOT NULL,
  DROP COLUMN "result_url";
DROP INDEX "bot"."order_chat_id_command_message_id_key";
CREATE UNIQUE INDEX "order_origin_key_key" ON "bot"."order"("origin_key");
CREATE INDEX "order_user_id_id_idx" ON "bot"."order"("user_id", "id");
