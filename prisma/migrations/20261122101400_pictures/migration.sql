-- Pictures that users sent, served to the service for as long as an order may need them.
CREATE TABLE "bot"."picture" (
    "token_hash" BYTEA NOT NULL,
    "user_id" BIGINT NOT NULL,
    "file_id" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BYTEA,
    "kept_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "picture_pkey" PRIMARY KEY ("token_hash")
);

CREATE INDEX "picture_user_id_idx" ON "bot"."picture"("user_id");

ALTER TABLE "bot"."order" ADD COLUMN "picture_hash" BYTEA;

-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- Pictures are compressed already, and are read piece by piece: stored plainly, a piece costs no more than itself.
ALTER TABLE "bot"."picture" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- The pictures that are served, among those that only could be fetched again.
CREATE INDEX "picture_kept_until_idx" ON "bot"."picture" ("kept_until") WHERE "bytes" IS NOT NULL;

CREATE INDEX "order_picture_hash_idx" ON "bot"."order" ("picture_hash") WHERE "picture_hash" IS NOT NULL;
