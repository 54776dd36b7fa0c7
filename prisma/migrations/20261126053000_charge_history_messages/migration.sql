-- How many messages were sent again with a request: its receipt says so.
ALTER TABLE bot.charge ADD COLUMN history_messages integer;
