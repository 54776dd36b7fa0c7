-- Who is named by an @username is one of all users.
CREATE INDEX "user_lower_username_idx" ON "bot"."user" (lower("username"));
