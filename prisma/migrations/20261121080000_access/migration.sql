-- CreateEnum
CREATE TYPE "bot"."admission" AS ENUM ('requested', 'allowed', 'refused', 'blocked');

-- AlterTable
ALTER TABLE "bot"."user" ADD COLUMN "language" TEXT,
ADD COLUMN "admission" "bot"."admission",
ADD COLUMN "admission_by_id" BIGINT,
ADD COLUMN "admission_at" TIMESTAMPTZ(3),
ADD COLUMN "admission_told_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "bot"."access_notice" (
    "user_id" BIGINT NOT NULL,
    "admin_id" BIGINT NOT NULL,
    "message_id" INTEGER NOT NULL,

    CONSTRAINT "access_notice_pkey" PRIMARY KEY ("user_id","admin_id")
);

-- CreateTable
CREATE TABLE "bot"."chat" (
    "id" BIGINT NOT NULL,
    "bot_status" TEXT,
    "bot_status_at" TIMESTAMPTZ(3),
    "hinted_at" TIMESTAMPTZ(3),
    "album_id" TEXT,

    CONSTRAINT "chat_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "bot"."access_notice" ADD CONSTRAINT "access_notice_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
