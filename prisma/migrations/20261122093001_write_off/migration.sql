-- A charge that is taken back although the service keeps its price has a kind of its own.
ALTER TYPE "bot"."charge_kind" ADD VALUE 'write_off';


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- An order's charge is taken back once, whichever way.
CREATE UNIQUE INDEX "charge_taken_back_once" ON "bot"."charge" ("order_id") WHERE "kind" <> 'order';
