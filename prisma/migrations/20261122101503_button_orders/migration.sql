-- Buttons that order the same again: of one button of one user at most one order is under way.
ALTER TABLE "bot"."order" ADD COLUMN "button_key" TEXT;
CREATE UNIQUE INDEX "order_button_under_way_idx" ON "bot"."order" ("button_key") WHERE "ended_at" IS NULL;
