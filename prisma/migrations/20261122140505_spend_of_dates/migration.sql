-- What all users spent on the days that are over. The bot adds up those that there are at its next look at the money.
CREATE TABLE "bot"."spend_date" (
    "day" DATE NOT NULL,
    "kind" "bot"."charge_kind" NOT NULL,
    "item" TEXT NOT NULL,
    "charges" INTEGER NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "estimated_micro_rub" BIGINT NOT NULL,
    "written_off_micro_rub" BIGINT NOT NULL,
    "history_micro_rub" BIGINT NOT NULL,

    CONSTRAINT "spend_date_pkey" PRIMARY KEY ("day", "kind", "item")
);
