-- AlterTable
ALTER TABLE "bot"."user" ADD COLUMN "default_model" TEXT;

-- AlterTable
ALTER TABLE "bot"."message" ADD COLUMN "author_id" BIGINT;

-- AlterTable
ALTER TABLE "bot"."turn" ADD COLUMN "next_cost_micro_rub" BIGINT;

-- CreateTable
CREATE TABLE "bot"."setting" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("name")
);
