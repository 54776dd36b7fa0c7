-- Everybody chooses from which cost on their answers tell it.
ALTER TABLE "bot"."user" ADD COLUMN "cost_note" TEXT;
