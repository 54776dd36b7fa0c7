-- What the service may have charged for a request whose end a crash hid. Of requests from before it is not known.
ALTER TABLE "bot"."turn" ADD COLUMN "request_micro_rub" BIGINT;
