-- Topics that wait for a name.
ALTER TABLE "bot"."conversation" ADD COLUMN "names_topic" BOOLEAN NOT NULL DEFAULT false;
