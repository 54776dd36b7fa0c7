-- Who gave a conversation its name, and the message whose replies give it one.
ALTER TABLE "bot"."conversation" ADD COLUMN "title_author_id" BIGINT, ADD COLUMN "naming_message_id" INTEGER;
