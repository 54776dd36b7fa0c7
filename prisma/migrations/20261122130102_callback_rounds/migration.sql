-- An operator may have a callback sent again: three more attempts, timed from then, whose numbers go on. A constant
-- default rewrites no row.
ALTER TABLE "service"."callback"
    ADD COLUMN "sent_again_at" TIMESTAMPTZ(3),
    ADD COLUMN "attempts_before" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "service"."callback_attempt" DROP CONSTRAINT "callback_attempt_is_one_of_three";
