-- What the service's account had at a moment, and what our charges came to.
CREATE TABLE "bot"."balance_reading" (
    "id" BIGSERIAL NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "balance_micro_rub" BIGINT NOT NULL,
    "charged_micro_rub" BIGINT NOT NULL,
    "written_off_micro_rub" BIGINT NOT NULL,
    "estimated_micro_rub" BIGINT NOT NULL,
    "held_micro_rub" BIGINT NOT NULL,
    "unsettled_micro_rub" BIGINT NOT NULL,
    "is_settled" BOOLEAN NOT NULL,

    CONSTRAINT "balance_reading_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "balance_reading_settled_idx" ON "bot"."balance_reading" ("id") WHERE "is_settled";

-- Of what the service keeps and nobody pays, the part whose true cost is not known.
CREATE INDEX "charge_written_off_estimate_idx" ON "bot"."charge" ("id") WHERE "written_off" AND "estimated";
