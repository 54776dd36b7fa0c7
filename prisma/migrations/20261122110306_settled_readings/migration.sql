-- Beside the first reading only settled ones are kept, so that all of them are read.
DROP INDEX "bot"."balance_reading_settled_idx";
