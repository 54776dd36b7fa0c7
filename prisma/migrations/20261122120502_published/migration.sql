-- What the bot last told Telegram of itself.
CREATE TABLE "bot"."published" (
    "name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    CONSTRAINT "published_pkey" PRIMARY KEY ("name")
);
