-- A card asks for its words itself, and words that do not answer it are asked about. The column ask_message_id stays:
-- processes of the version before, which may still run beside these, read it.
DROP INDEX bot.order_card_chat_id_ask_message_id_idx;
ALTER TABLE bot.order_card ADD COLUMN loose_words text;

-- Whose messages may be meant for a card is remembered with the user, so that others cost no statement more.
ALTER TABLE bot."user" ADD COLUMN open_card_id bigint;
DROP TRIGGER user_tells_change ON bot."user";
CREATE TRIGGER user_tells_change
    AFTER UPDATE ON bot."user" FOR EACH ROW WHEN (
      (old.first_name, old.username, old.language_code, old.language, old.cost_note, old.admission, old.admission_at,
        old.role, old.open_card_id)
      IS DISTINCT FROM
      (new.first_name, new.username, new.language_code, new.language, new.cost_note, new.admission, new.admission_at,
        new.role, new.open_card_id))
    EXECUTE FUNCTION bot.tell_change('bot.user');

-- An order at the price itself is confirmed, too.
UPDATE bot.setting SET name = 'media_confirm_from_micro_rub' WHERE name = 'media_confirm_above_micro_rub';
UPDATE bot.change SET what = 'media_confirm_from_micro_rub' WHERE what = 'media_confirm_above_micro_rub';
