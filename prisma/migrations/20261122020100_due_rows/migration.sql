-- Rows carry their own schedule (src/jobs/due-rows.ts).
ALTER TABLE "service"."task"
    ADD COLUMN "due_at" TIMESTAMPTZ(6),
    ADD COLUMN "failed_visits" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "service"."callback"
    ADD COLUMN "due_at" TIMESTAMPTZ(6),
    ADD COLUMN "failed_visits" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "lease_owner" INTEGER;

-- The lease of the callback says which process makes the attempt.
ALTER TABLE "service"."callback_attempt" DROP COLUMN "instance_id";

ALTER TABLE "service"."hold" RENAME COLUMN "instance_id" TO "lease_owner";

-- What an earlier version had left to do is due now.
UPDATE "service"."task" SET "due_at" = now() WHERE "ended_at" IS NULL;
UPDATE "service"."callback" SET "due_at" = now() WHERE "ended_at" IS NULL;

-- DropIndex
DROP INDEX "service"."task_status_idx";
DROP INDEX "service"."callback_pending_idx";


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- The rows with something left to do, which are few, among the ended ones, which are many.
CREATE INDEX "task_due_idx" ON "service"."task" ("due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "callback_due_idx" ON "service"."callback" ("due_at") WHERE "due_at" IS NOT NULL;

-- What has not ended is scheduled: nothing can be forgotten.
ALTER TABLE "service"."task"
    ADD CONSTRAINT "task_due_until_ended" CHECK (("due_at" IS NULL) = ("ended_at" IS NOT NULL));
ALTER TABLE "service"."callback"
    ADD CONSTRAINT "callback_due_until_ended" CHECK (("due_at" IS NULL) = ("ended_at" IS NOT NULL));
