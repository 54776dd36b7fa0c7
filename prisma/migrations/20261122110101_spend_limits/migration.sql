-- What users and groups may spend.
CREATE TYPE "bot"."limit_period" AS ENUM ('day', 'week', 'month', 'all');
CREATE TYPE "bot"."limit_decision" AS ENUM ('raised', 'lifted', 'refused');

CREATE TABLE "bot"."spend_limit" (
    "subject_id" BIGINT NOT NULL,
    "period" "bot"."limit_period" NOT NULL,
    "amount_micro_rub" BIGINT,
    "set_by" BIGINT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spend_limit_pkey" PRIMARY KEY ("subject_id", "period")
);

ALTER TABLE "bot"."spender" ADD COLUMN "unlimited_on" DATE;

-- What is told of limits, and asked for.
ALTER TABLE "bot"."turn" ADD COLUMN "limit_reached" JSONB;

CREATE TABLE "bot"."limit_warning" (
    "subject_id" BIGINT NOT NULL,
    "period" "bot"."limit_period" NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "resets_at" TIMESTAMPTZ(3),

    CONSTRAINT "limit_warning_pkey" PRIMARY KEY ("subject_id", "period")
);

CREATE TABLE "bot"."limit_request" (
    "subject_id" BIGINT NOT NULL,
    "period" "bot"."limit_period" NOT NULL,
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "thread_id" INTEGER NOT NULL DEFAULT 0,
    "message_id" INTEGER NOT NULL,
    "turn_id" BIGINT,
    "amount_micro_rub" BIGINT NOT NULL,
    "spent_micro_rub" BIGINT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "decision" "bot"."limit_decision",
    "raised_micro_rub" BIGINT,
    "decided_by_id" BIGINT,
    "decided_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),

    CONSTRAINT "limit_request_pkey" PRIMARY KEY ("subject_id", "period")
);
CREATE INDEX "limit_request_user_id_idx" ON "bot"."limit_request"("user_id");
ALTER TABLE "bot"."limit_request" ADD CONSTRAINT "limit_request_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What must hold whoever writes. Prisma's schema language cannot say it; it is kept here by hand.
ALTER TABLE "bot"."spend_limit" ADD CONSTRAINT "spend_limit_not_negative" CHECK ("amount_micro_rub" >= 0);
