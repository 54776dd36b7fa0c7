-- Why a hold ended as it did: what is charged by an estimate is distinguished from what was used.
--   usage: by the usage that the provider reported     counted: it reported none, the tokens were counted here
--   disbelieved: its usage cannot be true              broken: the answer broke off after its first output
--   left: the client left                              failed: there was no answer
--   withdrawn: refused, since nobody knew whether the hold had been taken
--   taken_over: the process ended before the request did
-- Null: written by a version that did not know of reasons.
CREATE TYPE service.hold_end_reason AS ENUM (
    'usage', 'counted', 'disbelieved', 'broken', 'left', 'failed', 'withdrawn', 'taken_over'
);
ALTER TABLE service.hold
    ADD COLUMN end_reason service.hold_end_reason,
    -- When another process ended the hold of one that was taken for dead. The end that its request has after all
    -- takes the place of that.
    ADD COLUMN taken_over_at timestamptz(3);

CREATE OR REPLACE VIEW service.ledger_fault AS
    -- A balance is the sum of the account's entries.
    SELECT account.id AS account_id, 'balance' AS rule, NULL::text AS subject,
           COALESCE(moved.amount, 0)::bigint AS wanted_micro_rub, account.balance_micro_rub AS found_micro_rub
    FROM service.account
    LEFT JOIN (
        SELECT account_id, SUM(amount_micro_rub) AS amount FROM service.entry GROUP BY account_id
    ) AS moved ON moved.account_id = account.id
    WHERE account.balance_micro_rub <> COALESCE(moved.amount, 0)
    UNION ALL
    -- What a key has spent is what its entries took, less what they gave back.
    SELECT api_key.account_id, 'key', api_key.public_id,
           -COALESCE(moved.amount, 0)::bigint, api_key.spent_micro_rub
    FROM service.api_key
    LEFT JOIN (
        SELECT key_id, SUM(amount_micro_rub) AS amount FROM service.entry
        WHERE key_id IS NOT NULL GROUP BY key_id
    ) AS moved ON moved.key_id = api_key.public_id
    WHERE api_key.spent_micro_rub <> -COALESCE(moved.amount, 0)
    UNION ALL
    -- A hold has the entry that took it and those of its end: one of what it gave back, or none where it was kept. One
    -- that was taken over may have another, of the end that its request then had.
    -- The entries of a hold whose row is gone have been looked at while it was there: there is one that took.
    SELECT COALESCE(hold.account_id, moved.account_id), 'hold', COALESCE(hold.request_id, moved.hold_id)::text,
           -COALESCE(hold.cost_micro_rub, hold.amount_micro_rub), COALESCE(moved.amount, 0)::bigint
    FROM service.hold
    FULL JOIN (
        SELECT hold_id, MIN(account_id) AS account_id, MAX(account_id) AS last_account_id,
               SUM(amount_micro_rub) AS amount, COUNT(*) AS entries,
               COUNT(*) FILTER (WHERE kind = 'settlement') AS settlements,
               COUNT(*) FILTER (WHERE kind = 'release') AS releases,
               SUM(amount_micro_rub) FILTER (WHERE kind = 'hold') AS taken
        FROM service.entry WHERE hold_id IS NOT NULL GROUP BY hold_id
    ) AS moved ON moved.hold_id = hold.request_id
    WHERE moved.taken IS NULL
       OR moved.account_id <> moved.last_account_id
       OR moved.entries > (CASE WHEN hold.request_id IS NOT NULL AND hold.taken_over_at IS NULL THEN 2 ELSE 3 END)
       OR moved.settlements > 1
       OR moved.amount > 0
       OR hold.request_id IS NOT NULL AND (
            hold.account_id <> moved.account_id
            OR moved.taken <> -hold.amount_micro_rub
            OR moved.amount <> -COALESCE(hold.cost_micro_rub, hold.amount_micro_rub)
            OR (moved.settlements > 0) <> (hold.state = 'settled')
            OR (moved.releases > 0) <> (hold.state = 'released' OR hold.state = 'settled' AND moved.entries = 3)
            OR hold.state = 'released' AND hold.cost_micro_rub <> 0
            OR hold.state IN ('held', 'kept') AND COALESCE(hold.cost_micro_rub, hold.amount_micro_rub) <> hold.amount_micro_rub)
    UNION ALL
    -- A task has the entry of its price, and that of its refund if it failed and else none.
    SELECT task.account_id, 'task', task.id::text,
           CASE task.status WHEN 'fail' THEN 0 ELSE -task.price_micro_rub END, COALESCE(moved.amount, 0)::bigint
    FROM service.task
    LEFT JOIN (
        SELECT task_id, MIN(account_id) AS account_id, MAX(account_id) AS last_account_id,
               SUM(amount_micro_rub) AS amount, COUNT(*) AS entries,
               SUM(amount_micro_rub) FILTER (WHERE kind = 'charge') AS charged
        FROM service.entry WHERE task_id IS NOT NULL GROUP BY task_id
    ) AS moved ON moved.task_id = task.id
    WHERE moved.charged IS DISTINCT FROM -task.price_micro_rub
       OR moved.account_id <> task.account_id OR moved.last_account_id <> task.account_id
       OR moved.entries <> (CASE task.status WHEN 'fail' THEN 2 ELSE 1 END)
       OR moved.amount <> (CASE task.status WHEN 'fail' THEN 0 ELSE -task.price_micro_rub END);
