-- A creation that its provider does not take is tried for so long after the first look at its task, not after its
-- creation: it may have waited for its turn. Without a default no row is rewritten; a task that was looked at before
-- counts from its next look on.
ALTER TABLE "service"."task" ADD COLUMN "first_visit_at" TIMESTAMPTZ(3);
