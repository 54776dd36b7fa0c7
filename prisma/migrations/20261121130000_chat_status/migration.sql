-- AlterTable
ALTER TABLE "bot"."chat" DROP COLUMN "bot_status",
DROP COLUMN "bot_status_at";

-- Chats of which nothing else was noted.
DELETE FROM "bot"."chat" WHERE "hinted_at" IS NULL AND "album_id" IS NULL;
