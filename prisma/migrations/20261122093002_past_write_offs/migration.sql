-- Clips that were overdue, lost or not to be fetched (src/bot/media/order-failure.ts): the service kept their price.
-- In a migration of its own: PostgreSQL uses no value of an enum before it is committed.
UPDATE "bot"."charge" SET "kind" = 'write_off'
FROM "bot"."order"
WHERE "order"."id" = "charge"."order_id" AND "charge"."kind" = 'reversal' AND "order"."error_code" IN (-2, -3, -4);
