-- A plain chat with an idempotency key: its customer's own name for it, what was asked, and what was answered. The key
-- is another request's to take once the hold was given back. Null: it came without one, or an older version took it.
ALTER TABLE service.hold
  ADD COLUMN idempotency_key text,
  ADD COLUMN request_hash text,
  ADD COLUMN answer bytea;

-- Few have a key, so that most holds are in no other index than before.
CREATE UNIQUE INDEX hold_idempotency_key_idx ON service.hold (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
