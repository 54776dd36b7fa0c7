-- Whoever writes a hold or an entry has locked its account's row in the same statement. A check of each row would
-- find nothing, and takes a look-up and a lock of that row for each. An account is closed and never deleted; its keys
-- would refuse that. (A task's check costs next to nothing: few entries name one.)
ALTER TABLE "service"."hold" DROP CONSTRAINT "hold_account_id_fkey";
ALTER TABLE "service"."entry" DROP CONSTRAINT "entry_account_id_fkey";
