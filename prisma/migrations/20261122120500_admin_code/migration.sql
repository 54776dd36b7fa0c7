-- Codes that make who sends one the first admin.
CREATE TABLE "bot"."admin_code" (
    "code_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "admin_code_pkey" PRIMARY KEY ("code_hash")
);
