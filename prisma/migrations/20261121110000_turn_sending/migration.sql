ALTER TABLE "bot"."turn" ADD COLUMN "sending_since" TIMESTAMPTZ(3);
