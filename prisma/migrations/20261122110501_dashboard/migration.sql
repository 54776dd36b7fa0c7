-- Who is signed in to the page at /admin.
CREATE TABLE "bot"."dashboard_session" (
    "token_hash" BYTEA NOT NULL,
    "user_id" BIGINT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "dashboard_session_pkey" PRIMARY KEY ("token_hash")
);
CREATE INDEX "dashboard_session_user_id_idx" ON "bot"."dashboard_session" ("user_id");

-- What is allowed once to who brings its token.
CREATE TYPE "bot"."ticket_purpose" AS ENUM ('sign_in', 'download');
CREATE TABLE "bot"."dashboard_ticket" (
    "token_hash" BYTEA NOT NULL,
    "user_id" BIGINT NOT NULL,
    "purpose" "bot"."ticket_purpose" NOT NULL,
    "request" JSONB,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "dashboard_ticket_pkey" PRIMARY KEY ("token_hash")
);
CREATE INDEX "dashboard_ticket_expires_at_idx" ON "bot"."dashboard_ticket" ("expires_at");

-- In whose chats Telegram shows a button that opens the page.
CREATE TABLE "bot"."dashboard_button" (
    "user_id" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    CONSTRAINT "dashboard_button_pkey" PRIMARY KEY ("user_id")
);
