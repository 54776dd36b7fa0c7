-- Lists of users are read a page at a time, and who was there last, or was decided on last, comes first.
CREATE INDEX "user_seen_at_idx" ON "bot"."user" ("seen_at" DESC NULLS LAST, "id");
CREATE INDEX "user_admission_at_idx" ON "bot"."user" ("admission_at" DESC NULLS LAST, "id");
