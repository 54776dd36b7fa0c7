-- A key's spend limit may begin again each day or month of a time zone, and a key may have a rate of chats of its own.
-- Null: the limit is for good, and there is no such rate.
CREATE TYPE service.spend_period AS ENUM ('day', 'month');

ALTER TABLE service.api_key
  ADD COLUMN spend_period service.spend_period,
  ADD COLUMN spend_time_zone text,
  ADD COLUMN period_began_at timestamptz(6),
  ADD COLUMN period_spent_micro_rub bigint NOT NULL DEFAULT 0,
  ADD COLUMN requests_per_minute integer,
  ADD CONSTRAINT api_key_period_check CHECK (
    (spend_period IS NULL) = (spend_time_zone IS NULL) AND (spend_period IS NULL) = (period_began_at IS NULL)
  );
