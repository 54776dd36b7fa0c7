-- Users ask admins for more than to be let in: a copy says of which request it is.
ALTER TABLE "bot"."access_notice" RENAME TO "request_copy";
ALTER TABLE "bot"."request_copy" ADD COLUMN "request" TEXT;
UPDATE "bot"."request_copy" SET "request" = 'access:' || "user_id";
ALTER TABLE "bot"."request_copy" ALTER COLUMN "request" SET NOT NULL;
ALTER TABLE "bot"."request_copy" DROP CONSTRAINT "access_notice_pkey";
ALTER TABLE "bot"."request_copy" ADD CONSTRAINT "request_copy_pkey" PRIMARY KEY ("request", "admin_id");
ALTER TABLE "bot"."request_copy" RENAME CONSTRAINT "access_notice_user_id_fkey" TO "request_copy_user_id_fkey";
CREATE INDEX "request_copy_user_id_idx" ON "bot"."request_copy"("user_id");
