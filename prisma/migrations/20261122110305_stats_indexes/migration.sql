-- /stats counts the turns of the last day, and the orders that are under way or ended in it.
CREATE INDEX "turn_created_at_idx" ON "bot"."turn" ("created_at");
CREATE INDEX "order_ended_at_idx" ON "bot"."order" ("ended_at");
