-- What came in a conversation since a moment: each answer asks for it.
CREATE INDEX "update_conversation_key_received_at_idx" ON "bot"."update" ("conversation_key", "received_at");
