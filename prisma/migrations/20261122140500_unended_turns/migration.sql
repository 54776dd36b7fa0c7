-- Of a state that comes as a parameter of type text PostgreSQL cannot tell that it is the one of an index: what
-- the Prisma client asked went through all turns of a chat. `ended_at IS NULL` it knows, and of turns that are at
-- their ends there are few without it.
CREATE INDEX "turn_unended_idx" ON "bot"."turn" ("chat_id", "thread_id") WHERE "ended_at" IS NULL;
CREATE INDEX "turn_user_unended_idx" ON "bot"."turn" ("user_id") WHERE "ended_at" IS NULL;
DROP INDEX "bot"."turn_streaming_idx";
DROP INDEX "bot"."turn_waiting_idx";
