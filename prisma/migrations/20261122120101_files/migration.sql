-- A message may hold what the model cannot see, and with the text of files it may cost more than is done unasked.
CREATE TYPE "bot"."unseen_kind" AS ENUM
  ('photo', 'video', 'animation', 'audio', 'voice', 'video_note', 'sticker', 'file');
ALTER TABLE "bot"."turn" ADD COLUMN "unseen" "bot"."unseen_kind";
ALTER TABLE "bot"."turn" ADD COLUMN "file_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "bot"."turn" ADD COLUMN "asks_price" BOOLEAN NOT NULL DEFAULT false;
ALTER TYPE "bot"."held_reason" ADD VALUE 'price';
