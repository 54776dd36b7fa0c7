-- A charge says where it was asked for, what for, at which prices, and which one it takes back.
ALTER TYPE "bot"."charge_kind" RENAME TO "old_charge_kind";
CREATE TYPE "bot"."charge_kind" AS ENUM ('answer', 'retry', 'video', 'image', 'sound');
CREATE TYPE "bot"."reservation_kind" AS ENUM ('turn', 'order');

ALTER TABLE "bot"."charge" RENAME COLUMN "kind" TO "old_kind";
ALTER TABLE "bot"."charge"
    ADD COLUMN "kind" "bot"."charge_kind",
    ADD COLUMN "chat_id" BIGINT,
    ADD COLUMN "request" INTEGER,
    ADD COLUMN "history_tokens" INTEGER,
    ADD COLUMN "prompt_price_micro_rub" BIGINT,
    ADD COLUMN "completion_price_micro_rub" BIGINT,
    ADD COLUMN "reversal_of" BIGINT,
    ADD COLUMN "written_off" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "request_id" TEXT,
    ADD COLUMN "task_id" INTEGER,
    ADD COLUMN "day" DATE;

-- What follows reads the old charges in one pass each. Where a chat was erased, its user's own stands for it; days are
-- those of the default time zone.
UPDATE "bot"."charge"
SET "day" = ("created_at" AT TIME ZONE 'Europe/Moscow')::date,
    "chat_id" = "user_id",
    "written_off" = "old_kind" = 'write_off',
    -- Of an order that was erased only the label is left.
    "kind" = CASE
        WHEN "old_kind" = 'turn' THEN 'answer'
        WHEN "item" LIKE 'image%' THEN 'image'
        WHEN "item" LIKE 'sound%' THEN 'sound'
        ELSE 'video'
    END::"bot"."charge_kind";

UPDATE "bot"."charge"
SET "chat_id" = "turn"."chat_id",
    "request" = greatest("turn"."requests", 1),
    "kind" = CASE WHEN EXISTS (
        SELECT FROM "bot"."turn" AS "earlier"
        JOIN "bot"."charge" AS "paid" ON "paid"."turn_id" = "earlier"."id"
        WHERE "earlier"."chat_id" = "turn"."chat_id"
            AND "earlier"."prompt_message_id" = "turn"."prompt_message_id"
            AND "earlier"."attempt" < "turn"."attempt"
    ) THEN 'retry' ELSE 'answer' END::"bot"."charge_kind"
FROM "bot"."turn"
WHERE "turn"."id" = "charge"."turn_id";

UPDATE "bot"."charge"
SET "chat_id" = "order"."chat_id",
    "task_id" = "order"."task_id",
    "kind" = "order"."kind"::text::"bot"."charge_kind"
FROM "bot"."order"
WHERE "order"."id" = "charge"."order_id";

-- An order's charge was taken back at most once. Where the order was erased, the first reversal of an amount
-- belongs to the first such charge, and so on: there are at least as many charges.
WITH "ranked" AS (
    SELECT "id", "kind", "old_kind" = 'order' AS "is_charge", "user_id",
        coalesce("order_id", 0) AS "order_id", "item", "estimated", abs("amount_micro_rub") AS "price",
        row_number() OVER (
            PARTITION BY "old_kind" = 'order', "user_id", "order_id", "item", "estimated", abs("amount_micro_rub")
            ORDER BY "id"
        ) AS "place"
    FROM "bot"."charge"
    WHERE "old_kind" <> 'turn'
)
UPDATE "bot"."charge"
SET "reversal_of" = "taken"."id", "kind" = "taken"."kind"
FROM "ranked" AS "taken"
JOIN "ranked" AS "taking" USING ("user_id", "order_id", "item", "estimated", "price", "place")
WHERE "taken"."is_charge" AND NOT "taking"."is_charge" AND "charge"."id" = "taking"."id";

-- With the column go its indexes, which named one charge of a turn, and one of each kind of an order.
ALTER TABLE "bot"."charge"
    DROP COLUMN "old_kind",
    ALTER COLUMN "kind" SET NOT NULL,
    ALTER COLUMN "chat_id" SET NOT NULL,
    ALTER COLUMN "day" SET NOT NULL;
DROP INDEX IF EXISTS "bot"."charge_taken_back_once";
DROP TYPE "bot"."old_charge_kind";

-- CreateIndex
CREATE UNIQUE INDEX "charge_reversal_of_key" ON "bot"."charge"("reversal_of");
CREATE INDEX "charge_chat_id_idx" ON "bot"."charge"("chat_id");
CREATE INDEX "charge_turn_id_idx" ON "bot"."charge"("turn_id");
CREATE INDEX "charge_order_id_idx" ON "bot"."charge"("order_id");

-- AddForeignKey
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_reversal_of_fkey" FOREIGN KEY ("reversal_of") REFERENCES "bot"."charge"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "bot"."spend_day" (
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "kind" "bot"."charge_kind" NOT NULL,
    "item" TEXT NOT NULL,
    "charges" INTEGER NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "estimated_micro_rub" BIGINT NOT NULL,
    "written_off_micro_rub" BIGINT NOT NULL,
    "history_micro_rub" BIGINT NOT NULL,

    CONSTRAINT "spend_day_pkey" PRIMARY KEY ("user_id", "chat_id", "day", "kind", "item")
);
CREATE INDEX "spend_day_day_idx" ON "bot"."spend_day"("day");
CREATE INDEX "spend_day_chat_id_day_idx" ON "bot"."spend_day"("chat_id", "day");

-- CreateTable
CREATE TABLE "bot"."spend_total" (
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "kind" "bot"."charge_kind" NOT NULL,
    "item" TEXT NOT NULL,
    "charges" INTEGER NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "estimated_micro_rub" BIGINT NOT NULL,
    "written_off_micro_rub" BIGINT NOT NULL,
    "history_micro_rub" BIGINT NOT NULL,

    CONSTRAINT "spend_total_pkey" PRIMARY KEY ("user_id", "chat_id", "kind", "item")
);
CREATE INDEX "spend_total_chat_id_idx" ON "bot"."spend_total"("chat_id");

-- CreateTable
CREATE TABLE "bot"."spender" (
    "id" BIGINT NOT NULL,
    "reserved_micro_rub" BIGINT NOT NULL DEFAULT 0,
    "day" DATE NOT NULL,
    "day_micro_rub" BIGINT NOT NULL DEFAULT 0,
    "week_micro_rub" BIGINT NOT NULL DEFAULT 0,
    "month_micro_rub" BIGINT NOT NULL DEFAULT 0,
    "total_micro_rub" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "spender_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."reservation" (
    "kind" "bot"."reservation_kind" NOT NULL,
    "id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reservation_pkey" PRIMARY KEY ("kind", "id")
);
CREATE INDEX "reservation_user_id_idx" ON "bot"."reservation"("user_id");
CREATE INDEX "reservation_chat_id_idx" ON "bot"."reservation"("chat_id");

-- The sums of the old charges. They had no prices: what their history cost is not known.
INSERT INTO "bot"."spend_day"
SELECT "user_id", "chat_id", "day", "kind", "item",
    count(*) FILTER (WHERE "reversal_of" IS NULL),
    sum("amount_micro_rub"),
    coalesce(sum("amount_micro_rub") FILTER (WHERE "estimated"), 0),
    coalesce(-sum("amount_micro_rub") FILTER (WHERE "written_off"), 0),
    0
FROM "bot"."charge"
GROUP BY "user_id", "chat_id", "day", "kind", "item";

INSERT INTO "bot"."spend_total"
SELECT "user_id", "chat_id", "kind", "item", sum("charges"), sum("amount_micro_rub"), sum("estimated_micro_rub"),
    sum("written_off_micro_rub"), 0
FROM "bot"."spend_day"
GROUP BY "user_id", "chat_id", "kind", "item";

-- A group that asks in its own name is a user as well; what it spent in its own chat counts once.
INSERT INTO "bot"."spender" ("id", "day", "day_micro_rub", "week_micro_rub", "month_micro_rub", "total_micro_rub")
SELECT "id", "last_day",
    coalesce(sum("amount_micro_rub") FILTER (WHERE "day" = "last_day"), 0),
    coalesce(sum("amount_micro_rub") FILTER (
        WHERE date_trunc('week', "day"::timestamp) = date_trunc('week', "last_day"::timestamp)), 0),
    coalesce(sum("amount_micro_rub") FILTER (
        WHERE date_trunc('month', "day"::timestamp) = date_trunc('month', "last_day"::timestamp)), 0),
    sum("amount_micro_rub")
FROM (
    SELECT "subject"."id", "day", "amount_micro_rub", max("day") OVER (PARTITION BY "subject"."id") AS "last_day"
    FROM "bot"."spend_day",
        LATERAL (SELECT "user_id" UNION SELECT "chat_id" WHERE "chat_id" < 0) AS "subject"("id")
) AS "spend"
GROUP BY "id", "last_day";


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- A request of a turn is charged once, and so is an order.
CREATE UNIQUE INDEX "charge_of_request" ON "bot"."charge" ("turn_id", "request") WHERE "reversal_of" IS NULL;
CREATE UNIQUE INDEX "charge_of_order" ON "bot"."charge" ("order_id") WHERE "reversal_of" IS NULL;

-- What takes a charge back is below zero, and nothing else is.
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_signed" CHECK (
    CASE WHEN "reversal_of" IS NULL THEN "amount_micro_rub" >= 0 AND NOT "written_off"
    ELSE "amount_micro_rub" <= 0 END
);
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_history_is_of_prompt" CHECK ("history_tokens" <= "prompt_tokens");
ALTER TABLE "bot"."reservation" ADD CONSTRAINT "reservation_not_negative" CHECK ("amount_micro_rub" >= 0);
