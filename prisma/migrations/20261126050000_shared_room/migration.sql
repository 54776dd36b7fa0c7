-- What the limit for everybody leaves, in parts, so that those who ask at once do not wait for one row. Nothing is in them
-- until it is added up. Room in each page for the versions of one: they change with each reservation.
CREATE TABLE bot.shared_room (
    id integer NOT NULL,
    micro_rub bigint DEFAULT 0 NOT NULL,
    CONSTRAINT shared_room_pkey PRIMARY KEY (id)
) WITH (fillfactor = 10);
INSERT INTO bot.shared_room (id) SELECT generate_series(0, 15);

-- The budget of a month only warned: it is the limit for everybody now, by whom it was set.
INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
SELECT -2, 'month', CASE WHEN value <> 'off' THEN value::bigint END, coalesce((
    SELECT admin_id FROM bot.change WHERE what = 'setting:budget_month_micro_rub' ORDER BY id DESC LIMIT 1
), 0)
FROM bot.setting WHERE name = 'budget_month_micro_rub';
DELETE FROM bot.setting WHERE name = 'budget_month_micro_rub';
