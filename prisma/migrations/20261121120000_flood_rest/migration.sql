-- CreateTable
CREATE TABLE "bot"."flood_rest" (
    "chat_id" BIGINT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "instance_id" INTEGER NOT NULL,

    CONSTRAINT "flood_rest_pkey" PRIMARY KEY ("chat_id")
);
