-- The calls of the last minute to each chat. Nothing is lost with them but a minute's pace, so they need no log.
CREATE UNLOGGED TABLE bot.chat_pace (
    chat_id bigint NOT NULL,
    called_at timestamp(3) with time zone[],
    last_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT chat_pace_pkey PRIMARY KEY (chat_id)
);
