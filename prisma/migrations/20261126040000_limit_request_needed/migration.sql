-- What the turn would have cost that a limit left no room for: admins decide by it.
ALTER TABLE bot.limit_request ADD COLUMN needed_micro_rub bigint;
