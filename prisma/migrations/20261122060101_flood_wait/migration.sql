-- Telegram's own word for it: how long nothing may be sent to a chat, and the process that was told.
ALTER TABLE bot.flood_rest RENAME TO flood_wait;
ALTER TABLE bot.flood_wait RENAME COLUMN instance_id TO noted_by;
ALTER TABLE bot.flood_wait RENAME CONSTRAINT flood_rest_pkey TO flood_wait_pkey;
