-- Input that the upstream had cached: its price when the request began, and how much of the prompt it was. Null: it cost
-- what all input does, nothing was told of it, or an older version took or ended the hold.
ALTER TABLE service.hold
  ADD COLUMN cached_prompt_micro_rub_per_1m bigint,
  ADD COLUMN cached_prompt_tokens integer;
