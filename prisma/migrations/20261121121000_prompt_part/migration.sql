-- CreateTable
CREATE TABLE "bot"."prompt_part" (
    "chat_id" BIGINT NOT NULL,
    "message_id" INTEGER NOT NULL,
    "first_id" INTEGER NOT NULL,
    "separator" TEXT NOT NULL,
    "message" JSONB NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prompt_part_pkey" PRIMARY KEY ("chat_id", "message_id")
);

-- CreateIndex
CREATE INDEX "prompt_part_chat_id_first_id_idx" ON "bot"."prompt_part"("chat_id", "first_id");
