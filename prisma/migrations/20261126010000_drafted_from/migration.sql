-- Where the text of a growing reply is in a draft of Telegram's: nothing else keeps that for the user.
ALTER TABLE bot.turn ADD COLUMN drafted_from integer;
