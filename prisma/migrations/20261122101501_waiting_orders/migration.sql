-- Of one user so many orders are made at the same time; the others wait outside the queue.
ALTER TYPE "bot"."order_state" ADD VALUE 'waiting';

-- A user's orders under way, which are few, among the ended ones. Prisma's schema language cannot say it.
CREATE INDEX "order_user_under_way_idx" ON "bot"."order" ("user_id") WHERE "ended_at" IS NULL;
