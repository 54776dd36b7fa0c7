-- What was delivered, as Telegram holds it: it is sent again by its id, at no cost.
ALTER TABLE "bot"."order" ADD COLUMN "delivered_files" JSONB NOT NULL DEFAULT '[]';
