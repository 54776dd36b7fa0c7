-- The job queue of earlier versions. What is to be done stands on the rows themselves (src/jobs/due-rows.ts).
DROP SCHEMA IF EXISTS "jobs" CASCADE;
