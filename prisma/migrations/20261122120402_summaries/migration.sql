-- Which summary stands for a turn, how long a conversation was when one was offered last, and what one saved.
ALTER TABLE "bot"."turn" ADD COLUMN "summary_id" BIGINT,
ADD COLUMN "saved_micro_rub" BIGINT;
ALTER TABLE "bot"."conversation" ADD COLUMN "summary_offered_tokens" INTEGER;
