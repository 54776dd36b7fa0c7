-- What a key may do, and what it has spent: the sum of its entries, moved in the statements that write them.
ALTER TABLE "service"."api_key"
    ADD COLUMN "name" TEXT,
    ADD COLUMN "expires_at" TIMESTAMPTZ(3),
    ADD COLUMN "spend_limit_micro_rub" BIGINT,
    ADD COLUMN "spent_micro_rub" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "models" TEXT[],
    ADD CONSTRAINT "api_key_spend_limit_not_negative" CHECK ("spend_limit_micro_rub" >= 0),
    ADD CONSTRAINT "api_key_models_not_empty" CHECK (cardinality("models") > 0);

-- Rows from before stay null, so that no table is written anew. No foreign keys: a key is never deleted, and
-- the statement that writes its id has it from the key's row; a check for each request would find nothing.
ALTER TABLE "service"."hold"
    ADD COLUMN "key_id" TEXT,
    ADD COLUMN "prompt_micro_rub_per_1m" BIGINT,
    ADD COLUMN "completion_micro_rub_per_1m" BIGINT,
    ADD COLUMN "upstream" TEXT;
ALTER TABLE "service"."task" ADD COLUMN "key_id" TEXT;
ALTER TABLE "service"."entry" ADD COLUMN "key_id" TEXT;

-- Usage is read by account and time; holds have had such an index from the beginning.
CREATE INDEX "task_account_id_created_at_idx" ON "service"."task" ("account_id", "created_at");

-- One row per account whose balance is not the sum of its entries, and one per key of which that is not true of
-- what it has spent, below zero: empty while the ledger is right.
CREATE OR REPLACE VIEW "service"."ledger_fault" AS
    SELECT "account"."id" AS "account_id", "account"."balance_micro_rub",
           COALESCE(SUM("entry"."amount_micro_rub"), 0)::bigint AS "entries_micro_rub", NULL AS "key_id"
    FROM "service"."account" LEFT JOIN "service"."entry" ON "entry"."account_id" = "account"."id"
    GROUP BY "account"."id"
    HAVING "account"."balance_micro_rub" <> COALESCE(SUM("entry"."amount_micro_rub"), 0)
    UNION ALL
    SELECT "api_key"."account_id", -"api_key"."spent_micro_rub",
           COALESCE(SUM("entry"."amount_micro_rub"), 0)::bigint, "api_key"."public_id"
    FROM "service"."api_key" LEFT JOIN "service"."entry" ON "entry"."key_id" = "api_key"."public_id"
    GROUP BY "api_key"."public_id"
    HAVING -"api_key"."spent_micro_rub" <> COALESCE(SUM("entry"."amount_micro_rub"), 0);
