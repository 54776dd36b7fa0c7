-- Whether a user is still to hear of a role: without one there is nothing to tell.
ALTER TABLE "bot"."user" DROP COLUMN "role_told_at",
ADD COLUMN "is_role_untold" BOOLEAN NOT NULL DEFAULT false,
-- When the last update came from a user.
ADD COLUMN "seen_at" TIMESTAMPTZ(3);

UPDATE "bot"."user" SET "seen_at" = "asked"."at"
FROM (
  SELECT "user_id", max("created_at") AS "at"
  FROM (
    SELECT "user_id", "created_at" FROM "bot"."turn"
    UNION ALL
    SELECT "user_id", "created_at" FROM "bot"."order"
  ) AS "each"
  GROUP BY "user_id"
) AS "asked"
WHERE "asked"."user_id" = "user"."id";
