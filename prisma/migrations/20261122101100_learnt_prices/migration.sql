-- What orders have cost where the service does not tell its prices.
CREATE TABLE "bot"."learnt_price" (
  "label" TEXT NOT NULL,
  "price_micro_rub" BIGINT NOT NULL,
  CONSTRAINT "learnt_price_pkey" PRIMARY KEY ("label"),
  CONSTRAINT "learnt_price_positive" CHECK ("price_micro_rub" > 0)
);
