-- What an operator put into an account or took out of it: why, and by which name it is known elsewhere.
ALTER TABLE "service"."entry"
    ADD COLUMN "note" TEXT,
    ADD COLUMN "reference" TEXT,
    ADD CONSTRAINT "entry_says_why_if_adjustment" CHECK ("kind" IN ('credit', 'debit') OR ("note" IS NULL AND "reference" IS NULL)),
    DROP CONSTRAINT "entry_sign_fits_kind",
    ADD CONSTRAINT "entry_sign_fits_kind" CHECK (
        CASE "kind"
            WHEN 'credit' THEN "amount_micro_rub" > 0
            WHEN 'debit' THEN "amount_micro_rub" < 0
            WHEN 'hold' THEN "amount_micro_rub" <= 0
            WHEN 'charge' THEN "amount_micro_rub" <= 0
            WHEN 'release' THEN "amount_micro_rub" >= 0
            WHEN 'refund' THEN "amount_micro_rub" >= 0
            ELSE true
        END);

-- A reference names one adjustment, of whichever account: two processes cannot both write it.
CREATE UNIQUE INDEX "entry_reference_idx" ON "service"."entry" ("reference") WHERE "reference" IS NOT NULL;
