-- What a button that opens the page says: another language gives it other words. Null: an older version showed it.
ALTER TABLE bot.dashboard_button ADD COLUMN text text;
