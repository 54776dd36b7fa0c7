-- An order goes to the service when its user has had a moment to cancel it.
ALTER TABLE bot."order" ADD COLUMN leaves_at timestamptz(3);
