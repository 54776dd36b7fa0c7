-- What the service may have kept for a request beside the amount that its user pays.
ALTER TABLE bot.charge ADD COLUMN written_off_micro_rub bigint NOT NULL DEFAULT 0;
CREATE INDEX charge_written_off_part_idx ON bot.charge (id) WHERE (written_off_micro_rub > 0);
