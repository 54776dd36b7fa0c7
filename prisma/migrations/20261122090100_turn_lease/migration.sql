-- The process that answers a turn: what a process writes that was taken for dead is refused.
ALTER TABLE "bot"."turn" ADD COLUMN "lease_owner" INTEGER;

-- What a turn asked of the service, so that every request there is explained by a row here.
ALTER TABLE "bot"."turn" ADD COLUMN "requests" INTEGER NOT NULL DEFAULT 0;
