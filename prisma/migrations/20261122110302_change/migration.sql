-- The log of who changed what.
CREATE TABLE "bot"."change" (
    "id" BIGSERIAL NOT NULL,
    "admin_id" BIGINT NOT NULL,
    "what" TEXT NOT NULL,
    "subject_id" BIGINT,
    "before" TEXT,
    "after" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "change_subject_id_id_idx" ON "bot"."change"("subject_id", "id");
