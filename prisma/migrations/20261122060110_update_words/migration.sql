-- The words of the program: conversations, leases, and when an update releases its conversation.
ALTER TABLE bot.update RENAME COLUMN line TO conversation_key;
ALTER TABLE bot.update RENAME COLUMN owner TO lease_owner;
ALTER TABLE bot.update RENAME COLUMN claimed_at TO leased_at;
ALTER TABLE bot.update RENAME COLUMN passed_at TO released_at;
ALTER INDEX bot.update_line_owned_key RENAME TO update_conversation_key_leased_key;
ALTER INDEX bot.update_line_idx RENAME TO update_conversation_key_idx;
ALTER INDEX bot.update_owner_idx RENAME TO update_lease_owner_idx;
