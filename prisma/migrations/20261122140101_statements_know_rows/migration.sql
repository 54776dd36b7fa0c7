-- Whoever writes a hold or an entry has locked its account's row in the same statement. A check of each row would
-- find nothing, and takes a look-up and a lock of that row for each. An account is closed and never deleted; its keys
-- would refuse that. (A task's check costs next to nothing: few entries name one.)
--
-- A process of the version before, which works one by one, may go on beside this: it locks rows in the same order (a
-- hold, a limit, an account, a key). Only when it takes over the holds of another it locks accounts in any order, and
-- may wait in a circle with a batch: the batch then gives up, and its operations are done one by one.
ALTER TABLE "service"."hold" DROP CONSTRAINT "hold_account_id_fkey";
ALTER TABLE "service"."entry" DROP CONSTRAINT "entry_account_id_fkey";
