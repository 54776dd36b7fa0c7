-- The message of an order that is being made is edited when its words change, whichever process looks then.
ALTER TABLE "bot"."order" ADD COLUMN "status_due_at" TIMESTAMPTZ(3);
UPDATE "bot"."order" SET "status_due_at" = now() WHERE "state" = 'generating';
