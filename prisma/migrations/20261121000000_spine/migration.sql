-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "bot";

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "service";

-- CreateEnum
CREATE TYPE "bot"."message_role" AS ENUM ('system', 'user', 'assistant');

-- CreateEnum
CREATE TYPE "bot"."turn_state" AS ENUM ('streaming', 'finished', 'stopped', 'failed', 'interrupted');

-- CreateEnum
CREATE TYPE "bot"."order_state" AS ENUM ('placed', 'submitted', 'generating', 'ready', 'delivered', 'failed');

-- CreateEnum
CREATE TYPE "bot"."charge_kind" AS ENUM ('turn', 'order', 'reversal');

-- CreateEnum
CREATE TYPE "service"."hold_state" AS ENUM ('held', 'settled', 'released', 'kept');

-- CreateEnum
CREATE TYPE "service"."entry_kind" AS ENUM ('credit', 'hold', 'settlement', 'release', 'charge', 'refund');

-- CreateEnum
CREATE TYPE "service"."task_status" AS ENUM ('waiting', 'queuing', 'generating', 'success', 'fail');

-- CreateTable
CREATE TABLE "bot"."user" (
    "id" BIGINT NOT NULL,
    "first_name" TEXT NOT NULL,
    "username" TEXT,
    "language_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."update" (
    "id" BIGINT NOT NULL,
    "payload" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "update_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."conversation" (
    "id" BIGSERIAL NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "thread_id" INTEGER NOT NULL DEFAULT 0,
    "model" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."message" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "turn_id" BIGINT,
    "role" "bot"."message_role" NOT NULL,
    "content" TEXT NOT NULL,
    "model" TEXT,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "cost_micro_rub" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."turn" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "thread_id" INTEGER NOT NULL DEFAULT 0,
    "prompt_message_id" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "state" "bot"."turn_state" NOT NULL DEFAULT 'streaming',
    "message_ids" INTEGER[],
    "shown_text" TEXT NOT NULL DEFAULT '',
    "error_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "turn_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."order" (
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "chat_id" BIGINT NOT NULL,
    "thread_id" INTEGER NOT NULL DEFAULT 0,
    "command_message_id" INTEGER NOT NULL,
    "status_message_id" INTEGER,
    "clip_message_id" INTEGER,
    "params" JSONB NOT NULL,
    "label" TEXT NOT NULL,
    "price_micro_rub" BIGINT,
    "idempotency_key" UUID NOT NULL,
    "state" "bot"."order_state" NOT NULL DEFAULT 'placed',
    "task_id" INTEGER,
    "result_url" TEXT,
    "error_code" INTEGER,
    "error_message" TEXT,
    "lease_owner" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "order_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."charge" (
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "turn_id" BIGINT,
    "order_id" BIGINT,
    "kind" "bot"."charge_kind" NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "estimated" BOOLEAN NOT NULL DEFAULT false,
    "item" TEXT NOT NULL,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "charge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service"."account" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "balance_micro_rub" BIGINT NOT NULL DEFAULT 0,
    "callback_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service"."api_key" (
    "public_id" TEXT NOT NULL,
    "account_id" INTEGER NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("public_id")
);

-- CreateTable
CREATE TABLE "service"."hold" (
    "request_id" UUID NOT NULL,
    "account_id" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "state" "service"."hold_state" NOT NULL DEFAULT 'held',
    "first_output_at" TIMESTAMPTZ(3),
    "instance_id" INTEGER NOT NULL,
    "cost_micro_rub" BIGINT,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "hold_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "service"."entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "kind" "service"."entry_kind" NOT NULL,
    "amount_micro_rub" BIGINT NOT NULL,
    "hold_id" UUID,
    "task_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service"."task" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "endpoint" TEXT NOT NULL,
    "params" JSONB NOT NULL,
    "label" TEXT NOT NULL,
    "price_micro_rub" BIGINT NOT NULL,
    "status" "service"."task_status" NOT NULL DEFAULT 'waiting',
    "operation" JSONB,
    "files" TEXT[],
    "error_code" INTEGER,
    "error_message" TEXT,
    "idempotency_key" TEXT,
    "lease_owner" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "task_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "conversation_chat_id_thread_id_id_idx" ON "bot"."conversation"("chat_id", "thread_id", "id");

-- CreateIndex
CREATE INDEX "message_conversation_id_id_idx" ON "bot"."message"("conversation_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "message_turn_id_role_key" ON "bot"."message"("turn_id", "role");

-- CreateIndex
CREATE UNIQUE INDEX "turn_chat_id_prompt_message_id_key" ON "bot"."turn"("chat_id", "prompt_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "order_idempotency_key_key" ON "bot"."order"("idempotency_key");

-- CreateIndex
CREATE INDEX "order_state_idx" ON "bot"."order"("state");

-- CreateIndex
CREATE UNIQUE INDEX "order_chat_id_command_message_id_key" ON "bot"."order"("chat_id", "command_message_id");

-- CreateIndex
CREATE INDEX "charge_user_id_created_at_idx" ON "bot"."charge"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "charge_created_at_idx" ON "bot"."charge"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "charge_turn_id_kind_key" ON "bot"."charge"("turn_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "charge_order_id_kind_key" ON "bot"."charge"("order_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "account_name_key" ON "service"."account"("name");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "service"."api_key"("account_id");

-- CreateIndex
CREATE INDEX "hold_account_id_created_at_idx" ON "service"."hold"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "entry_account_id_id_idx" ON "service"."entry"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "entry_hold_id_kind_key" ON "service"."entry"("hold_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "entry_task_id_kind_key" ON "service"."entry"("task_id", "kind");

-- CreateIndex
CREATE INDEX "task_status_idx" ON "service"."task"("status");

-- CreateIndex
CREATE UNIQUE INDEX "task_account_id_idempotency_key_key" ON "service"."task"("account_id", "idempotency_key");

-- AddForeignKey
ALTER TABLE "bot"."message" ADD CONSTRAINT "message_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "bot"."conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."message" ADD CONSTRAINT "message_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "bot"."turn"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."turn" ADD CONSTRAINT "turn_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "bot"."conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."turn" ADD CONSTRAINT "turn_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."order" ADD CONSTRAINT "order_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "bot"."user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "bot"."turn"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bot"."charge" ADD CONSTRAINT "charge_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "bot"."order"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "service"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."hold" ADD CONSTRAINT "hold_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "service"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."entry" ADD CONSTRAINT "entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "service"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."entry" ADD CONSTRAINT "entry_hold_id_fkey" FOREIGN KEY ("hold_id") REFERENCES "service"."hold"("request_id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."entry" ADD CONSTRAINT "entry_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "service"."task"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service"."task" ADD CONSTRAINT "task_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "service"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- The open holds, which are few, among the ended ones, which are many.
CREATE INDEX "hold_open_idx" ON "service"."hold" ("instance_id") WHERE "state" = 'held';

ALTER TABLE "service"."hold"
    ADD CONSTRAINT "hold_amount_not_negative" CHECK ("amount_micro_rub" >= 0),
    ADD CONSTRAINT "hold_ended_once_not_held" CHECK (("state" = 'held') = ("ended_at" IS NULL));

ALTER TABLE "service"."entry"
    ADD CONSTRAINT "entry_sign_fits_kind" CHECK (
        CASE "kind"
            WHEN 'credit' THEN "amount_micro_rub" > 0
            WHEN 'hold' THEN "amount_micro_rub" <= 0
            WHEN 'charge' THEN "amount_micro_rub" <= 0
            WHEN 'release' THEN "amount_micro_rub" >= 0
            WHEN 'refund' THEN "amount_micro_rub" >= 0
            ELSE true
        END),
    ADD CONSTRAINT "entry_names_its_cause" CHECK (
        CASE
            WHEN "kind" IN ('hold', 'settlement', 'release') THEN "hold_id" IS NOT NULL AND "task_id" IS NULL
            WHEN "kind" IN ('charge', 'refund') THEN "task_id" IS NOT NULL AND "hold_id" IS NULL
            ELSE "hold_id" IS NULL AND "task_id" IS NULL
        END);

ALTER TABLE "service"."task"
    ADD CONSTRAINT "task_ended_when_terminal" CHECK (("status" IN ('success', 'fail')) = ("ended_at" IS NOT NULL)),
    ADD CONSTRAINT "task_fail_has_error" CHECK (("status" = 'fail') = ("error_code" IS NOT NULL));

-- An entry is a record: a mistake is mended by another entry.
CREATE FUNCTION "service"."refuse_entry_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger entries are never changed or deleted';
END $$;
CREATE TRIGGER "entry_is_immutable" BEFORE UPDATE OR DELETE ON "service"."entry"
    FOR EACH ROW EXECUTE FUNCTION "service"."refuse_entry_change"();

-- A task moves forward only (the enum's order) and never leaves an end.
CREATE FUNCTION "service"."refuse_task_step_back"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'task % cannot go from % to %', OLD."id", OLD."status", NEW."status";
END $$;
CREATE TRIGGER "task_moves_forward" BEFORE UPDATE ON "service"."task"
    FOR EACH ROW WHEN (NEW."status" < OLD."status" OR (OLD."status" IN ('success', 'fail') AND NEW."status" <> OLD."status"))
    EXECUTE FUNCTION "service"."refuse_task_step_back"();

-- One row per account whose balance is not the sum of its entries: empty while the ledger is right.
CREATE VIEW "service"."ledger_fault" AS
    SELECT "account"."id" AS "account_id", "account"."balance_micro_rub",
           COALESCE(SUM("entry"."amount_micro_rub"), 0)::bigint AS "entries_micro_rub"
    FROM "service"."account" LEFT JOIN "service"."entry" ON "entry"."account_id" = "account"."id"
    GROUP BY "account"."id"
    HAVING "account"."balance_micro_rub" <> COALESCE(SUM("entry"."amount_micro_rub"), 0);
