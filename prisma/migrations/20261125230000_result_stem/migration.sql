ALTER TABLE service.task ADD COLUMN result_stem text;
