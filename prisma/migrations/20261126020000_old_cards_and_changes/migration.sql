CREATE INDEX order_card_created_at_idx ON bot.order_card (created_at);
CREATE INDEX change_created_at_idx ON bot.change (created_at);
