-- Without a limit for everybody a part is null, so that who reserves reads that where the room is.
ALTER TABLE bot.shared_room ALTER COLUMN micro_rub DROP NOT NULL, ALTER COLUMN micro_rub DROP DEFAULT;
UPDATE bot.shared_room SET micro_rub = NULL WHERE NOT EXISTS (
    SELECT FROM bot.spend_limit WHERE subject_id = -2 AND amount_micro_rub IS NOT NULL
);
