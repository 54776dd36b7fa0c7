-- Orders carry their own schedule (src/jobs/due-rows.ts).
ALTER TABLE "bot"."order"
    ADD COLUMN "due_at" TIMESTAMPTZ(6) DEFAULT now(),
    ADD COLUMN "failed_visits" INTEGER NOT NULL DEFAULT 0;

UPDATE "bot"."order" SET "due_at" = NULL WHERE "ended_at" IS NOT NULL;

-- DropIndex
DROP INDEX "bot"."order_state_idx";


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- The orders with something left to do, which are few, among the ended ones, which are many.
CREATE INDEX "order_due_idx" ON "bot"."order" ("due_at") WHERE "due_at" IS NOT NULL;

-- What has not ended is scheduled: nothing can be forgotten.
ALTER TABLE "bot"."order"
    ADD CONSTRAINT "order_due_until_ended" CHECK (("due_at" IS NULL) = ("ended_at" IS NOT NULL));
