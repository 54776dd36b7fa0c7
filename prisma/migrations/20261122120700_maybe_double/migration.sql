-- The note above a message that may stand in its chat twice outlives the process that sent it.
ALTER TABLE "bot"."turn" ADD COLUMN "maybe_double_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
