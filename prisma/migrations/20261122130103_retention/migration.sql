-- What is kept only for so long, where an operator's setting says how long: a row for each kind, which one process at
-- a time works on.
CREATE TABLE "service"."retention" (
    "id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(6),
    "failed_visits" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" INTEGER,

    CONSTRAINT "retention_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "retention_kind_key" ON "service"."retention"("kind");

INSERT INTO "service"."retention" ("id", "kind", "due_at") VALUES
    (1, 'callback_attempts', now()),
    (2, 'holds', now()),
    (3, 'media', now());

-- The task's row says for ever which files it had.
ALTER TABLE "service"."task" ADD COLUMN "media_removed_at" TIMESTAMPTZ(3);

-- By these the oldest are found. Prisma's schema language cannot say the narrow ones; they are kept here by hand.
CREATE INDEX "callback_attempt_started_at_idx" ON "service"."callback_attempt"("started_at");
CREATE INDEX "hold_ended_idx" ON "service"."hold" ("ended_at") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "task_media_idx" ON "service"."task" ("ended_at") WHERE "status" = 'success' AND "media_removed_at" IS NULL;
