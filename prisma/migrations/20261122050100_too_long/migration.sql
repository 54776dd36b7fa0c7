-- What is too long is said by name: the conversation, or its last message alone.
ALTER TYPE "bot"."held_reason" RENAME VALUE 'too_long' TO 'conversation_too_long';
UPDATE "bot"."turn" SET "error_code" = 'message_too_long' WHERE "error_code" = 'prompt_too_long';
