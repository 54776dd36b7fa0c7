-- The bot that the database belongs to. Processes of the version before neither read nor write it.
CREATE TABLE bot.owner (
    id integer DEFAULT 1 NOT NULL,
    bot_id bigint NOT NULL,
    is_playground boolean NOT NULL,
    CONSTRAINT owner_pkey PRIMARY KEY (id)
);
