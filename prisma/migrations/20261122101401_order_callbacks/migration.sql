-- Orders whose tasks end with a callback: they are polled rarely, and keep what it told.
ALTER TABLE "bot"."order"
    ADD COLUMN "expects_callback" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "called_back" JSONB;
