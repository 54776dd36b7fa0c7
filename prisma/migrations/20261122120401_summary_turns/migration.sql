-- A turn may sum up its conversation instead of answering a message, and is charged as such.
CREATE TYPE "bot"."turn_kind" AS ENUM ('answer', 'summary');
ALTER TABLE "bot"."turn" ADD COLUMN "kind" "bot"."turn_kind" NOT NULL DEFAULT 'answer';
ALTER TYPE "bot"."charge_kind" ADD VALUE 'summary';
