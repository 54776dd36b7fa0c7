-- A stopped answer goes on unseen: whose process reads it, and what of, for when its turn is erased meanwhile.
ALTER TABLE bot.reservation ADD COLUMN item TEXT, ADD COLUMN lease_owner INTEGER;
