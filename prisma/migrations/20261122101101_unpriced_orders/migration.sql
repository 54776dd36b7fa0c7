-- Orders that went at an unknown price: charged when it is learnt.
CREATE INDEX "order_unpriced_idx" ON "bot"."order" ("label") WHERE "price_micro_rub" IS NULL;
