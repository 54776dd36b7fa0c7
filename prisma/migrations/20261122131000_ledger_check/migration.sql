-- What the ledger promises, looked at from the rows: one row for each place where it is not so.
DROP VIEW "service"."ledger_fault";
CREATE VIEW "service"."ledger_fault" AS
    -- A balance is the sum of the account's entries.
    SELECT "account"."id" AS "account_id", 'balance' AS "rule", NULL::text AS "subject",
           COALESCE("moved"."amount", 0)::bigint AS "wanted_micro_rub", "account"."balance_micro_rub" AS "found_micro_rub"
    FROM "service"."account"
    LEFT JOIN (
        SELECT "account_id", SUM("amount_micro_rub") AS "amount" FROM "service"."entry" GROUP BY "account_id"
    ) AS "moved" ON "moved"."account_id" = "account"."id"
    WHERE "account"."balance_micro_rub" <> COALESCE("moved"."amount", 0)
    UNION ALL
    -- What a key has spent is what its entries took, less what they gave back.
    SELECT "api_key"."account_id", 'key', "api_key"."public_id",
           -COALESCE("moved"."amount", 0)::bigint, "api_key"."spent_micro_rub"
    FROM "service"."api_key"
    LEFT JOIN (
        SELECT "key_id", SUM("amount_micro_rub") AS "amount" FROM "service"."entry"
        WHERE "key_id" IS NOT NULL GROUP BY "key_id"
    ) AS "moved" ON "moved"."key_id" = "api_key"."public_id"
    WHERE "api_key"."spent_micro_rub" <> -COALESCE("moved"."amount", 0)
    UNION ALL
    -- A hold has the entry that took it and those of its end: one of what it gave back, or none where it was kept.
    -- The entries of a hold that is no longer kept have been looked at while it was: there is one that took.
    SELECT COALESCE("hold"."account_id", "moved"."account_id"), 'hold', COALESCE("hold"."request_id", "moved"."hold_id")::text,
           -COALESCE("hold"."cost_micro_rub", "hold"."amount_micro_rub"), COALESCE("moved"."amount", 0)::bigint
    FROM "service"."hold"
    FULL JOIN (
        SELECT "hold_id", MIN("account_id") AS "account_id", MAX("account_id") AS "last_account_id",
               SUM("amount_micro_rub") AS "amount", COUNT(*) AS "entries", MAX("kind") AS "end_kind",
               SUM("amount_micro_rub") FILTER (WHERE "kind" = 'hold') AS "taken"
        FROM "service"."entry" WHERE "hold_id" IS NOT NULL GROUP BY "hold_id"
    ) AS "moved" ON "moved"."hold_id" = "hold"."request_id"
    WHERE "moved"."taken" IS NULL
       OR "moved"."account_id" <> "moved"."last_account_id"
       OR "moved"."entries" > 2
       OR "hold"."request_id" IS NOT NULL AND (
            "hold"."account_id" <> "moved"."account_id"
            OR "moved"."taken" <> -"hold"."amount_micro_rub"
            OR "moved"."amount" <> -COALESCE("hold"."cost_micro_rub", "hold"."amount_micro_rub")
            OR "moved"."end_kind" <> (CASE "hold"."state" WHEN 'settled' THEN 'settlement' WHEN 'released' THEN 'release' ELSE 'hold' END)::"service"."entry_kind"
            OR "hold"."state" = 'released' AND "hold"."cost_micro_rub" <> 0
            OR "hold"."state" IN ('held', 'kept') AND COALESCE("hold"."cost_micro_rub", "hold"."amount_micro_rub") <> "hold"."amount_micro_rub")
    UNION ALL
    -- A task has the entry of its price, and that of its refund if it failed and else none.
    SELECT "task"."account_id", 'task', "task"."id"::text,
           CASE "task"."status" WHEN 'fail' THEN 0 ELSE -"task"."price_micro_rub" END, COALESCE("moved"."amount", 0)::bigint
    FROM "service"."task"
    LEFT JOIN (
        SELECT "task_id", MIN("account_id") AS "account_id", MAX("account_id") AS "last_account_id",
               SUM("amount_micro_rub") AS "amount", COUNT(*) AS "entries",
               SUM("amount_micro_rub") FILTER (WHERE "kind" = 'charge') AS "charged"
        FROM "service"."entry" WHERE "task_id" IS NOT NULL GROUP BY "task_id"
    ) AS "moved" ON "moved"."task_id" = "task"."id"
    WHERE "moved"."charged" IS DISTINCT FROM -"task"."price_micro_rub"
       OR "moved"."account_id" <> "task"."account_id" OR "moved"."last_account_id" <> "task"."account_id"
       OR "moved"."entries" <> (CASE "task"."status" WHEN 'fail' THEN 2 ELSE 1 END)
       OR "moved"."amount" <> (CASE "task"."status" WHEN 'fail' THEN 0 ELSE -"task"."price_micro_rub" END);

-- When the ledger is checked next, by one of the processes, and what the last check found: one row.
CREATE TABLE "service"."ledger_check" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(6) DEFAULT now(),
    "failed_visits" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" INTEGER,
    "checked_at" TIMESTAMPTZ(3),
    "faults" INTEGER,

    CONSTRAINT "ledger_check_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "ledger_check_is_one_row" CHECK ("id" = 1)
);
INSERT INTO "service"."ledger_check" DEFAULT VALUES;
