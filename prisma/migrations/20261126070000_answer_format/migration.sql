-- Some apps show nothing of a rich message: a chat may have its answers as plain text.
CREATE TYPE bot.answer_format AS ENUM ('auto', 'plain', 'rich');
ALTER TABLE bot.chat
  ADD COLUMN format bot.answer_format,
  ADD COLUMN has_offered_plain boolean NOT NULL DEFAULT false;
ALTER TABLE bot.turn
  ADD COLUMN format bot.answer_format NOT NULL DEFAULT 'auto',
  ADD COLUMN offers_plain boolean NOT NULL DEFAULT false;
