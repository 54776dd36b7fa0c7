-- How many tasks have ended, and at what prices: they are kept for ever, and counted once, when all are surely
-- there that ended before. The first reader counts those that there are.
CREATE TABLE "service"."ended_tasks" (
    "status" "service"."task_status" NOT NULL,
    "tasks" BIGINT NOT NULL,
    "price_micro_rub" BIGINT NOT NULL,
    "counted_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_tasks_pkey" PRIMARY KEY ("status")
);
INSERT INTO "service"."ended_tasks" VALUES ('success', 0, 0, '1970-01-01'), ('fail', 0, 0, '1970-01-01');
CREATE INDEX "task_ended_at_idx" ON "service"."task" ("ended_at");
