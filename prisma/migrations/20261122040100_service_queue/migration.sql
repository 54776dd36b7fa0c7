-- What the service takes in a minute is told (SERVICE_LIMITS), and every kind of request has a queue.

-- CreateTable
CREATE TABLE "bot"."service_gate" (
    "kind" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "closed_until" TIMESTAMPTZ(3),

    CONSTRAINT "service_gate_pkey" PRIMARY KEY ("kind")
);

-- A process that changes the queue of a kind locks its row.
INSERT INTO "bot"."service_gate" ("kind") VALUES ('chat'), ('video'), ('image'), ('sound');

-- The requests of the last minute still count.
UPDATE "bot"."service_gate"
SET "sent_at" = ARRAY(
    SELECT "sent_at" FROM "bot"."line_entry" WHERE "sent_at" IS NOT NULL ORDER BY "sent_at")
WHERE "kind" = 'chat';

-- CreateTable
CREATE TABLE "bot"."queue_entry" (
    "kind" TEXT NOT NULL,
    "id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "lease_owner" INTEGER,

    CONSTRAINT "queue_entry_pkey" PRIMARY KEY ("kind", "id")
);

-- DropTable
DROP TABLE "bot"."line_entry";
DROP TABLE "bot"."service_room";
