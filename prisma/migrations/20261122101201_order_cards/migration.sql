-- What users choose for their orders, and the cards on which they choose it.
CREATE TYPE "bot"."order_card_state" AS ENUM ('words', 'choice', 'confirmation', 'ordered', 'dropped');

CREATE TABLE "bot"."media_setting" (
    "user_id" BIGINT NOT NULL,
    "kind" "bot"."media_kind" NOT NULL,
    "params" JSONB NOT NULL,

    CONSTRAINT "media_setting_pkey" PRIMARY KEY ("user_id", "kind")
);

CREATE TABLE "bot"."order_card" (
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "thread_id" INTEGER NOT NULL DEFAULT 0,
    "kind" "bot"."media_kind" NOT NULL,
    "origin_key" TEXT NOT NULL,
    "reply_to_message_id" INTEGER NOT NULL,
    "card_message_id" INTEGER,
    "ask_message_id" INTEGER,
    "words_message_id" INTEGER,
    "params" JSONB NOT NULL,
    "prompt" TEXT,
    "literal_prompt" TEXT,
    "picture" JSONB,
    "shown_prices" JSONB NOT NULL,
    "state" "bot"."order_card_state" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "order_card_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "order_card_origin_key_key" ON "bot"."order_card"("origin_key");
CREATE INDEX "order_card_chat_id_card_message_id_idx" ON "bot"."order_card"("chat_id", "card_message_id");
CREATE INDEX "order_card_chat_id_ask_message_id_idx" ON "bot"."order_card"("chat_id", "ask_message_id");
CREATE INDEX "order_card_user_id_idx" ON "bot"."order_card"("user_id");

ALTER TABLE "bot"."media_setting" ADD CONSTRAINT "media_setting_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bot"."order_card" ADD CONSTRAINT "order_card_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
