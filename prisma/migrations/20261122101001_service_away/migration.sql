-- How often in a row the service answered that it is away: to whichever request, and to this one.
ALTER TABLE "bot"."service_gate" ADD COLUMN "away_tries" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "bot"."queue_entry" ADD COLUMN "away_tries" INTEGER NOT NULL DEFAULT 0;
