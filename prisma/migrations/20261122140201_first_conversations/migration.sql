-- A thread's first conversation is begun by the statement that begins its first turn: of two that do, one is.
ALTER TABLE "bot"."conversation" ADD COLUMN "is_first" BOOLEAN NOT NULL DEFAULT false;

-- Prisma's schema language cannot say it.
CREATE UNIQUE INDEX "conversation_first_key" ON "bot"."conversation" ("chat_id", "thread_id") WHERE "is_first";
