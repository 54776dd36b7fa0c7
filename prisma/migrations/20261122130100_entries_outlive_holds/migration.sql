-- An entry is never changed or deleted, and an ended hold may be deleted when an operator's setting says so: its
-- entries go on naming the request, which no other hold will ever have. With the foreign key its deletion would
-- change them (ON DELETE SET NULL), which the ledger refuses. Dropping it scans nothing.
ALTER TABLE "service"."entry" DROP CONSTRAINT "entry_hold_id_fkey";
