-- What a user may beside talking, as admins gave it.
CREATE TYPE "bot"."user_role" AS ENUM ('admin', 'viewer');
ALTER TABLE "bot"."user" ADD COLUMN "role" "bot"."user_role",
ADD COLUMN "role_told_at" TIMESTAMPTZ(3);
CREATE INDEX "user_role_idx" ON "bot"."user" ("role") WHERE "role" IS NOT NULL;
