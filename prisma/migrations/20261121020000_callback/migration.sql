-- CreateEnum
CREATE TYPE "service"."callback_state" AS ENUM ('pending', 'delivered', 'failed');

-- AlterTable
ALTER TABLE "service"."task" ADD COLUMN "callback_url" TEXT;

-- CreateTable
CREATE TABLE "service"."callback" (
    "task_id" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,
    "state" "service"."callback_state" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "service"."callback_attempt" (
    "task_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "instance_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "failure" TEXT,

    CONSTRAINT "callback_attempt_pkey" PRIMARY KEY ("task_id","number")
);

-- AddForeignKey
ALTER TABLE "service"."callback" ADD CONSTRAINT "callback_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "service"."task"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."callback_attempt" ADD CONSTRAINT "callback_attempt_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "service"."callback"("task_id") ON DELETE CASCADE ON UPDATE CASCADE;


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- The callbacks to deliver, which are few, among the ended ones, which are many.
CREATE INDEX "callback_pending_idx" ON "service"."callback" ("task_id") WHERE "state" = 'pending';

ALTER TABLE "service"."callback"
    ADD CONSTRAINT "callback_ended_once_not_pending" CHECK (("state" = 'pending') = ("ended_at" IS NULL));

ALTER TABLE "service"."callback_attempt"
    ADD CONSTRAINT "callback_attempt_is_one_of_three" CHECK ("number" BETWEEN 1 AND 3),
    ADD CONSTRAINT "callback_attempt_ended_with_outcome" CHECK (
        num_nonnulls("status", "failure") = CASE WHEN "ended_at" IS NULL THEN 0 ELSE 1 END);
