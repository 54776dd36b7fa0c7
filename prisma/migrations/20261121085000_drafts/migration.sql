-- AlterTable
ALTER TABLE "bot"."user" ADD COLUMN "uses_drafts" BOOLEAN NOT NULL DEFAULT false;
