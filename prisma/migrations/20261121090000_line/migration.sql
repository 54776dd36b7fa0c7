-- CreateTable
CREATE TABLE "bot"."service_room" (
    "id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "request_limit" INTEGER,
    "refused_at" TIMESTAMPTZ(3),
    "closed_until" TIMESTAMPTZ(3),
    "tries_from" TIMESTAMPTZ(3),
    "trial_id" TEXT,
    "known_from" TIMESTAMPTZ(3),
    "places" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "service_room_pkey" PRIMARY KEY ("id")
);

-- There is one, and its row is what instances race for.
INSERT INTO "bot"."service_room" ("id") VALUES (1);

-- CreateTable
CREATE TABLE "bot"."line_entry" (
    "id" TEXT NOT NULL,
    "turn_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "instance_id" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "is_open" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "line_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "line_entry_sent_at_idx" ON "bot"."line_entry"("sent_at");

-- CreateTable
CREATE TABLE "bot"."service_trouble" (
    "name" TEXT NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "service_trouble_pkey" PRIMARY KEY ("name")
);
