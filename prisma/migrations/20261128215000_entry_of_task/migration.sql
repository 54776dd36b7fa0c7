-- Most entries are of no task, and need not be in its index: each chat wrote two rows of it for nothing.
CREATE UNIQUE INDEX entry_task_id_kind_idx ON service.entry (task_id, kind) WHERE task_id IS NOT NULL;
DROP INDEX service.entry_task_id_kind_key;
