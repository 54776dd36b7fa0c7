-- A database as the last version with 89 migrations left it when it was killed in mid-answer: what pg_dump says of it.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA bot;

CREATE SCHEMA service;

CREATE TYPE bot.admission AS ENUM (
    'requested',
    'allowed',
    'refused',
    'blocked'
);

CREATE TYPE bot.charge_kind AS ENUM (
    'answer',
    'retry',
    'video',
    'image',
    'sound',
    'summary'
);

CREATE TYPE bot.held_reason AS ENUM (
    'late',
    'conversation_too_long',
    'edited',
    'price'
);

CREATE TYPE bot.limit_decision AS ENUM (
    'raised',
    'lifted',
    'refused'
);

CREATE TYPE bot.limit_period AS ENUM (
    'day',
    'week',
    'month',
    'all'
);

CREATE TYPE bot.media_kind AS ENUM (
    'video',
    'image',
    'sound'
);

CREATE TYPE bot.message_role AS ENUM (
    'system',
    'user',
    'assistant'
);

CREATE TYPE bot.order_card_state AS ENUM (
    'words',
    'choice',
    'confirmation',
    'ordered',
    'dropped'
);

CREATE TYPE bot.order_state AS ENUM (
    'placed',
    'submitted',
    'generating',
    'ready',
    'delivered',
    'failed',
    'cancelled',
    'waiting'
);

CREATE TYPE bot.reservation_kind AS ENUM (
    'turn',
    'order'
);

CREATE TYPE bot.ticket_purpose AS ENUM (
    'sign_in',
    'download'
);

CREATE TYPE bot.turn_kind AS ENUM (
    'answer',
    'summary'
);

CREATE TYPE bot.turn_state AS ENUM (
    'streaming',
    'finished',
    'stopped',
    'failed',
    'interrupted',
    'held',
    'declined',
    'waiting'
);

CREATE TYPE bot.unseen_kind AS ENUM (
    'photo',
    'video',
    'animation',
    'audio',
    'voice',
    'video_note',
    'sticker',
    'file'
);

CREATE TYPE bot.user_role AS ENUM (
    'admin',
    'viewer'
);

CREATE TYPE service.account_state AS ENUM (
    'open',
    'frozen',
    'closed'
);

CREATE TYPE service.callback_state AS ENUM (
    'pending',
    'delivered',
    'failed'
);

CREATE TYPE service.entry_kind AS ENUM (
    'credit',
    'hold',
    'settlement',
    'release',
    'charge',
    'refund',
    'debit'
);

CREATE TYPE service.hold_state AS ENUM (
    'held',
    'settled',
    'released',
    'kept'
);

CREATE TYPE service.task_status AS ENUM (
    'waiting',
    'queuing',
    'generating',
    'success',
    'fail'
);

CREATE FUNCTION bot.tell_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    PERFORM pg_notify(TG_ARGV[0], OLD.id::text);
  ELSE
    PERFORM pg_notify(TG_ARGV[0], '');
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION service.refuse_entry_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'ledger entries are never changed or deleted';
END $$;

CREATE FUNCTION service.refuse_task_step_back() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'task % cannot go from % to %', OLD."id", OLD."status", NEW."status";
END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE bot.admin_code (
    code_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE TABLE bot.alert (
    name text NOT NULL,
    told_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE bot.asked_example (
    chat_id bigint NOT NULL,
    greeting_id integer NOT NULL,
    example integer NOT NULL,
    question_id integer NOT NULL
);

CREATE TABLE bot.balance_reading (
    id bigint NOT NULL,
    read_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    balance_micro_rub bigint NOT NULL,
    charged_micro_rub bigint NOT NULL,
    written_off_micro_rub bigint NOT NULL,
    estimated_micro_rub bigint NOT NULL,
    held_micro_rub bigint NOT NULL,
    unsettled_micro_rub bigint NOT NULL,
    is_settled boolean NOT NULL,
    cause_written_off bigint,
    cause_estimates bigint,
    cause_under_way bigint,
    cause_credited bigint,
    cause_not_ours bigint
);

CREATE SEQUENCE bot.balance_reading_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.balance_reading_id_seq OWNED BY bot.balance_reading.id;

CREATE TABLE bot.change (
    id bigint NOT NULL,
    admin_id bigint NOT NULL,
    what text NOT NULL,
    subject_id bigint,
    before text,
    after text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE SEQUENCE bot.change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.change_id_seq OWNED BY bot.change.id;

CREATE TABLE bot.charge (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    turn_id bigint,
    order_id bigint,
    amount_micro_rub bigint NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    item text NOT NULL,
    prompt_tokens integer,
    completion_tokens integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    kind bot.charge_kind NOT NULL,
    chat_id bigint NOT NULL,
    request integer,
    history_tokens integer,
    prompt_price_micro_rub bigint,
    completion_price_micro_rub bigint,
    reversal_of bigint,
    written_off boolean DEFAULT false NOT NULL,
    request_id text,
    task_id integer,
    day date NOT NULL,
    CONSTRAINT charge_history_is_of_prompt CHECK ((history_tokens <= prompt_tokens)),
    CONSTRAINT charge_signed CHECK (
CASE
    WHEN (reversal_of IS NULL) THEN ((amount_micro_rub >= 0) AND (NOT written_off))
    ELSE (amount_micro_rub <= 0)
END)
);

CREATE SEQUENCE bot.charge_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.charge_id_seq OWNED BY bot.charge.id;

CREATE TABLE bot.chat (
    id bigint NOT NULL,
    hinted_at timestamp(3) with time zone,
    album_id text
);

CREATE TABLE bot.conversation (
    id bigint NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    model text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    warned_at timestamp(3) with time zone,
    title text,
    entered_at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    title_author_id bigint,
    naming_message_id integer,
    names_topic boolean DEFAULT false NOT NULL,
    summary_offered_tokens integer,
    is_first boolean DEFAULT false NOT NULL
);

CREATE SEQUENCE bot.conversation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.conversation_id_seq OWNED BY bot.conversation.id;

CREATE TABLE bot.dashboard_button (
    user_id bigint NOT NULL,
    url text NOT NULL
);

CREATE TABLE bot.dashboard_session (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    began_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE bot.dashboard_ticket (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    purpose bot.ticket_purpose NOT NULL,
    request jsonb,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone
);

CREATE TABLE bot.digest (
    user_id bigint NOT NULL,
    day date NOT NULL
);

CREATE TABLE bot.flood_wait (
    chat_id bigint NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    noted_by integer NOT NULL
);

CREATE TABLE bot.learnt_price (
    label text NOT NULL,
    price_micro_rub bigint NOT NULL,
    CONSTRAINT learnt_price_positive CHECK ((price_micro_rub > 0))
);

CREATE TABLE bot.limit_request (
    subject_id bigint NOT NULL,
    period bot.limit_period NOT NULL,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    message_id integer NOT NULL,
    turn_id bigint,
    amount_micro_rub bigint NOT NULL,
    spent_micro_rub bigint NOT NULL,
    asked_at timestamp(3) with time zone NOT NULL,
    decision bot.limit_decision,
    raised_micro_rub bigint,
    decided_by_id bigint,
    decided_at timestamp(3) with time zone,
    told_at timestamp(3) with time zone
);

CREATE TABLE bot.limit_warning (
    subject_id bigint NOT NULL,
    period bot.limit_period NOT NULL,
    amount_micro_rub bigint NOT NULL,
    resets_at timestamp(3) with time zone
);

CREATE TABLE bot.media_setting (
    user_id bigint NOT NULL,
    kind bot.media_kind NOT NULL,
    params jsonb NOT NULL
);

CREATE TABLE bot.message (
    id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    turn_id bigint,
    role bot.message_role NOT NULL,
    content text NOT NULL,
    model text,
    prompt_tokens integer,
    completion_tokens integer,
    cost_micro_rub bigint,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    author_id bigint
);

CREATE SEQUENCE bot.message_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.message_id_seq OWNED BY bot.message.id;

CREATE TABLE bot."order" (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    reply_to_message_id integer NOT NULL,
    status_message_id integer,
    result_message_id integer,
    params jsonb NOT NULL,
    label text NOT NULL,
    price_micro_rub bigint,
    idempotency_key uuid NOT NULL,
    state bot.order_state DEFAULT 'placed'::bot.order_state NOT NULL,
    task_id integer,
    error_code integer,
    error_message text,
    lease_owner integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    due_at timestamp(6) with time zone DEFAULT now(),
    failed_visits integer DEFAULT 0 NOT NULL,
    kind bot.media_kind NOT NULL,
    origin_key text NOT NULL,
    price_estimated boolean DEFAULT false NOT NULL,
    result_urls text[] DEFAULT ARRAY[]::text[],
    generating_at timestamp(3) with time zone,
    delivered_files jsonb DEFAULT '[]'::jsonb NOT NULL,
    parked_at timestamp(3) with time zone,
    failed_deliveries integer DEFAULT 0 NOT NULL,
    sending_since timestamp(3) with time zone,
    picture_hash bytea,
    expects_callback boolean DEFAULT false NOT NULL,
    called_back jsonb,
    status_due_at timestamp(3) with time zone,
    button_key text,
    CONSTRAINT order_due_until_ended CHECK (((due_at IS NULL) = (ended_at IS NOT NULL)))
);

CREATE TABLE bot.order_card (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    kind bot.media_kind NOT NULL,
    origin_key text NOT NULL,
    reply_to_message_id integer NOT NULL,
    card_message_id integer,
    ask_message_id integer,
    words_message_id integer,
    params jsonb NOT NULL,
    prompt text,
    literal_prompt text,
    picture jsonb,
    shown_prices jsonb NOT NULL,
    state bot.order_card_state NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE SEQUENCE bot.order_card_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.order_card_id_seq OWNED BY bot.order_card.id;

CREATE SEQUENCE bot.order_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.order_id_seq OWNED BY bot."order".id;

CREATE TABLE bot.picture (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    file_id text NOT NULL,
    content_type text NOT NULL,
    bytes bytea,
    kept_until timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY bot.picture ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE bot.prompt_part (
    chat_id bigint NOT NULL,
    message_id integer NOT NULL,
    first_id integer NOT NULL,
    separator text NOT NULL,
    message jsonb NOT NULL,
    joined_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE TABLE bot.published (
    name text NOT NULL,
    text text NOT NULL
);

CREATE TABLE bot.queue_entry (
    kind text NOT NULL,
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    queued_at timestamp(3) with time zone NOT NULL,
    sent_at timestamp(3) with time zone,
    lease_owner integer,
    away_tries integer DEFAULT 0 NOT NULL
);

CREATE TABLE bot.request_copy (
    user_id bigint NOT NULL,
    admin_id bigint NOT NULL,
    message_id integer NOT NULL,
    request text NOT NULL
);

CREATE TABLE bot.reservation (
    kind bot.reservation_kind NOT NULL,
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    amount_micro_rub bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT reservation_not_negative CHECK ((amount_micro_rub >= 0))
);

CREATE TABLE bot.routine (
    id integer NOT NULL,
    name text NOT NULL,
    due_at timestamp(6) with time zone DEFAULT now(),
    failed_visits integer DEFAULT 0 NOT NULL,
    lease_owner integer
);

CREATE TABLE bot.service_gate (
    kind text NOT NULL,
    sent_at timestamp(3) with time zone[] DEFAULT (ARRAY[]::timestamp with time zone[])::timestamp(3) with time zone[],
    closed_until timestamp(3) with time zone,
    away_tries integer DEFAULT 0 NOT NULL
);

CREATE TABLE bot.setting (
    name text NOT NULL,
    value text NOT NULL
);

CREATE TABLE bot.spend_date (
    day date NOT NULL,
    kind bot.charge_kind NOT NULL,
    item text NOT NULL,
    charges integer NOT NULL,
    amount_micro_rub bigint NOT NULL,
    estimated_micro_rub bigint NOT NULL,
    written_off_micro_rub bigint NOT NULL,
    history_micro_rub bigint NOT NULL
);

CREATE TABLE bot.spend_day (
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    day date NOT NULL,
    kind bot.charge_kind NOT NULL,
    item text NOT NULL,
    charges integer NOT NULL,
    amount_micro_rub bigint NOT NULL,
    estimated_micro_rub bigint NOT NULL,
    written_off_micro_rub bigint NOT NULL,
    history_micro_rub bigint NOT NULL
);

CREATE TABLE bot.spend_limit (
    subject_id bigint NOT NULL,
    period bot.limit_period NOT NULL,
    amount_micro_rub bigint,
    set_by bigint NOT NULL,
    set_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT spend_limit_not_negative CHECK ((amount_micro_rub >= 0))
);

CREATE TABLE bot.spend_total (
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    kind bot.charge_kind NOT NULL,
    item text NOT NULL,
    charges integer NOT NULL,
    amount_micro_rub bigint NOT NULL,
    estimated_micro_rub bigint NOT NULL,
    written_off_micro_rub bigint NOT NULL,
    history_micro_rub bigint NOT NULL
);

CREATE TABLE bot.spender (
    id bigint NOT NULL,
    reserved_micro_rub bigint DEFAULT 0 NOT NULL,
    day date NOT NULL,
    day_micro_rub bigint DEFAULT 0 NOT NULL,
    week_micro_rub bigint DEFAULT 0 NOT NULL,
    month_micro_rub bigint DEFAULT 0 NOT NULL,
    total_micro_rub bigint DEFAULT 0 NOT NULL,
    unlimited_on date
);

CREATE TABLE bot.turn (
    id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    prompt_message_id integer NOT NULL,
    model text NOT NULL,
    state bot.turn_state DEFAULT 'streaming'::bot.turn_state NOT NULL,
    message_ids integer[],
    shown_text text DEFAULT ''::text NOT NULL,
    error_code text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    attempt integer DEFAULT 1 NOT NULL,
    replaces_id bigint,
    sent_at timestamp(3) with time zone,
    held_reason bot.held_reason,
    stop_requested_at timestamp(3) with time zone,
    set_aside_at timestamp(3) with time zone,
    context_percent integer,
    next_cost_micro_rub bigint,
    sending_since timestamp(3) with time zone,
    lease_owner integer,
    requests integer DEFAULT 0 NOT NULL,
    request_micro_rub bigint,
    limit_reached jsonb,
    unseen bot.unseen_kind,
    file_ids text[] DEFAULT ARRAY[]::text[],
    asks_price boolean DEFAULT false NOT NULL,
    kind bot.turn_kind DEFAULT 'answer'::bot.turn_kind NOT NULL,
    summary_id bigint,
    saved_micro_rub bigint,
    origin_key text,
    maybe_double_ids integer[] DEFAULT ARRAY[]::integer[]
);

CREATE SEQUENCE bot.turn_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE bot.turn_id_seq OWNED BY bot.turn.id;

CREATE TABLE bot.update (
    id bigint NOT NULL,
    payload jsonb,
    received_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    conversation_key text,
    sent_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ready_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    part_of bigint,
    lease_owner integer,
    leased_at timestamp(3) with time zone,
    released_at timestamp(3) with time zone,
    handled_at timestamp(3) with time zone,
    noted_at timestamp(6) with time zone,
    is_beside boolean DEFAULT false NOT NULL
);

CREATE TABLE bot."user" (
    id bigint NOT NULL,
    first_name text NOT NULL,
    username text,
    language_code text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    default_model text,
    language text,
    admission bot.admission,
    admission_by_id bigint,
    admission_at timestamp(3) with time zone,
    admission_told_at timestamp(3) with time zone,
    uses_drafts boolean DEFAULT false NOT NULL,
    role bot.user_role,
    is_role_untold boolean DEFAULT false NOT NULL,
    seen_at timestamp(3) with time zone,
    cost_note text
);

CREATE TABLE public._prisma_migrations (
    id character varying(36) NOT NULL,
    checksum character varying(64) NOT NULL,
    finished_at timestamp with time zone,
    migration_name character varying(255) NOT NULL,
    logs text,
    rolled_back_at timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    applied_steps_count integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.instance (
    id integer NOT NULL,
    name text,
    works text[] NOT NULL,
    leads boolean DEFAULT false NOT NULL,
    beat_at timestamp(6) with time zone DEFAULT now() NOT NULL
);

CREATE SEQUENCE public.instance_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.instance_id_seq OWNED BY public.instance.id;

CREATE TABLE service.account (
    id integer NOT NULL,
    name text NOT NULL,
    balance_micro_rub bigint DEFAULT 0 NOT NULL,
    callback_secret text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    state service.account_state DEFAULT 'open'::service.account_state NOT NULL
);

CREATE SEQUENCE service.account_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE service.account_id_seq OWNED BY service.account.id;

CREATE TABLE service.api_key (
    public_id text NOT NULL,
    account_id integer NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    name text,
    expires_at timestamp(3) with time zone,
    spend_limit_micro_rub bigint,
    spent_micro_rub bigint DEFAULT 0 NOT NULL,
    models text[],
    CONSTRAINT api_key_models_not_empty CHECK ((cardinality(models) > 0)),
    CONSTRAINT api_key_spend_limit_not_negative CHECK ((spend_limit_micro_rub >= 0))
);

CREATE TABLE service.callback (
    task_id integer NOT NULL,
    body bytea NOT NULL,
    state service.callback_state DEFAULT 'pending'::service.callback_state NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    due_at timestamp(6) with time zone,
    failed_visits integer DEFAULT 0 NOT NULL,
    lease_owner integer,
    sent_again_at timestamp(3) with time zone,
    attempts_before integer DEFAULT 0 NOT NULL,
    CONSTRAINT callback_due_until_ended CHECK (((due_at IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT callback_ended_once_not_pending CHECK (((state = 'pending'::service.callback_state) = (ended_at IS NULL)))
);

CREATE TABLE service.callback_attempt (
    task_id integer NOT NULL,
    number integer NOT NULL,
    started_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    status integer,
    failure text,
    CONSTRAINT callback_attempt_ended_with_outcome CHECK ((num_nonnulls(status, failure) =
CASE
    WHEN (ended_at IS NULL) THEN 0
    ELSE 1
END))
);

CREATE TABLE service.ended_tasks (
    status service.task_status NOT NULL,
    tasks bigint NOT NULL,
    price_micro_rub bigint NOT NULL,
    counted_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE service.entry (
    id bigint NOT NULL,
    account_id integer NOT NULL,
    kind service.entry_kind NOT NULL,
    amount_micro_rub bigint NOT NULL,
    hold_id uuid,
    task_id integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    note text,
    reference text,
    key_id text,
    CONSTRAINT entry_names_its_cause CHECK (
CASE
    WHEN (kind = ANY (ARRAY['hold'::service.entry_kind, 'settlement'::service.entry_kind, 'release'::service.entry_kind])) THEN ((hold_id IS NOT NULL) AND (task_id IS NULL))
    WHEN (kind = ANY (ARRAY['charge'::service.entry_kind, 'refund'::service.entry_kind])) THEN ((task_id IS NOT NULL) AND (hold_id IS NULL))
    ELSE ((hold_id IS NULL) AND (task_id IS NULL))
END),
    CONSTRAINT entry_says_why_if_adjustment CHECK (((kind = ANY (ARRAY['credit'::service.entry_kind, 'debit'::service.entry_kind])) OR ((note IS NULL) AND (reference IS NULL)))),
    CONSTRAINT entry_sign_fits_kind CHECK (
CASE kind
    WHEN 'credit'::service.entry_kind THEN (amount_micro_rub > 0)
    WHEN 'debit'::service.entry_kind THEN (amount_micro_rub < 0)
    WHEN 'hold'::service.entry_kind THEN (amount_micro_rub <= 0)
    WHEN 'charge'::service.entry_kind THEN (amount_micro_rub <= 0)
    WHEN 'release'::service.entry_kind THEN (amount_micro_rub >= 0)
    WHEN 'refund'::service.entry_kind THEN (amount_micro_rub >= 0)
    ELSE true
END)
);

CREATE SEQUENCE service.entry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE service.entry_id_seq OWNED BY service.entry.id;

CREATE TABLE service.hold (
    request_id uuid NOT NULL,
    account_id integer NOT NULL,
    model text NOT NULL,
    amount_micro_rub bigint NOT NULL,
    state service.hold_state DEFAULT 'held'::service.hold_state NOT NULL,
    first_output_at timestamp(3) with time zone,
    lease_owner integer NOT NULL,
    cost_micro_rub bigint,
    prompt_tokens integer,
    completion_tokens integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    key_id text,
    prompt_micro_rub_per_1m bigint,
    completion_micro_rub_per_1m bigint,
    upstream text,
    CONSTRAINT hold_amount_not_negative CHECK ((amount_micro_rub >= 0)),
    CONSTRAINT hold_ended_once_not_held CHECK (((state = 'held'::service.hold_state) = (ended_at IS NULL)))
);

CREATE TABLE service.ledger_check (
    id integer DEFAULT 1 NOT NULL,
    due_at timestamp(6) with time zone DEFAULT now(),
    failed_visits integer DEFAULT 0 NOT NULL,
    lease_owner integer,
    checked_at timestamp(3) with time zone,
    faults integer,
    CONSTRAINT ledger_check_is_one_row CHECK ((id = 1))
);

CREATE TABLE service.task (
    id integer NOT NULL,
    account_id integer NOT NULL,
    endpoint text NOT NULL,
    params jsonb NOT NULL,
    label text NOT NULL,
    price_micro_rub bigint NOT NULL,
    status service.task_status DEFAULT 'waiting'::service.task_status NOT NULL,
    operation jsonb,
    files text[],
    error_code integer,
    error_message text,
    idempotency_key text,
    lease_owner integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp(3) with time zone,
    polled_at timestamp(6) with time zone,
    callback_url text,
    due_at timestamp(6) with time zone,
    failed_visits integer DEFAULT 0 NOT NULL,
    first_visit_at timestamp(3) with time zone,
    media_removed_at timestamp(3) with time zone,
    key_id text,
    CONSTRAINT task_due_until_ended CHECK (((due_at IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT task_ended_when_terminal CHECK (((status = ANY (ARRAY['success'::service.task_status, 'fail'::service.task_status])) = (ended_at IS NOT NULL))),
    CONSTRAINT task_fail_has_error CHECK (((status = 'fail'::service.task_status) = (error_code IS NOT NULL)))
);

CREATE VIEW service.ledger_fault AS
 SELECT account.id AS account_id,
    'balance'::text AS rule,
    NULL::text AS subject,
    (COALESCE(moved.amount, (0)::numeric))::bigint AS wanted_micro_rub,
    account.balance_micro_rub AS found_micro_rub
   FROM (service.account
     LEFT JOIN ( SELECT entry.account_id,
            sum(entry.amount_micro_rub) AS amount
           FROM service.entry
          GROUP BY entry.account_id) moved ON ((moved.account_id = account.id)))
  WHERE ((account.balance_micro_rub)::numeric <> COALESCE(moved.amount, (0)::numeric))
UNION ALL
 SELECT api_key.account_id,
    'key'::text AS rule,
    api_key.public_id AS subject,
    (- (COALESCE(moved.amount, (0)::numeric))::bigint) AS wanted_micro_rub,
    api_key.spent_micro_rub AS found_micro_rub
   FROM (service.api_key
     LEFT JOIN ( SELECT entry.key_id,
            sum(entry.amount_micro_rub) AS amount
           FROM service.entry
          WHERE (entry.key_id IS NOT NULL)
          GROUP BY entry.key_id) moved ON ((moved.key_id = api_key.public_id)))
  WHERE ((api_key.spent_micro_rub)::numeric <> (- COALESCE(moved.amount, (0)::numeric)))
UNION ALL
 SELECT COALESCE(hold.account_id, moved.account_id) AS account_id,
    'hold'::text AS rule,
    (COALESCE(hold.request_id, moved.hold_id))::text AS subject,
    (- COALESCE(hold.cost_micro_rub, hold.amount_micro_rub)) AS wanted_micro_rub,
    (COALESCE(moved.amount, (0)::numeric))::bigint AS found_micro_rub
   FROM (service.hold
     FULL JOIN ( SELECT entry.hold_id,
            min(entry.account_id) AS account_id,
            max(entry.account_id) AS last_account_id,
            sum(entry.amount_micro_rub) AS amount,
            count(*) AS entries,
            max(entry.kind) AS end_kind,
            sum(entry.amount_micro_rub) FILTER (WHERE (entry.kind = 'hold'::service.entry_kind)) AS taken
           FROM service.entry
          WHERE (entry.hold_id IS NOT NULL)
          GROUP BY entry.hold_id) moved ON ((moved.hold_id = hold.request_id)))
  WHERE ((moved.taken IS NULL) OR (moved.account_id <> moved.last_account_id) OR (moved.entries > 2) OR ((hold.request_id IS NOT NULL) AND ((hold.account_id <> moved.account_id) OR (moved.taken <> ((- hold.amount_micro_rub))::numeric) OR (moved.amount <> ((- COALESCE(hold.cost_micro_rub, hold.amount_micro_rub)))::numeric) OR (moved.end_kind <> (
        CASE hold.state
            WHEN 'settled'::service.hold_state THEN 'settlement'::text
            WHEN 'released'::service.hold_state THEN 'release'::text
            ELSE 'hold'::text
        END)::service.entry_kind) OR ((hold.state = 'released'::service.hold_state) AND (hold.cost_micro_rub <> 0)) OR ((hold.state = ANY (ARRAY['held'::service.hold_state, 'kept'::service.hold_state])) AND (COALESCE(hold.cost_micro_rub, hold.amount_micro_rub) <> hold.amount_micro_rub)))))
UNION ALL
 SELECT task.account_id,
    'task'::text AS rule,
    (task.id)::text AS subject,
        CASE task.status
            WHEN 'fail'::service.task_status THEN (0)::bigint
            ELSE (- task.price_micro_rub)
        END AS wanted_micro_rub,
    (COALESCE(moved.amount, (0)::numeric))::bigint AS found_micro_rub
   FROM (service.task
     LEFT JOIN ( SELECT entry.task_id,
            min(entry.account_id) AS account_id,
            max(entry.account_id) AS last_account_id,
            sum(entry.amount_micro_rub) AS amount,
            count(*) AS entries,
            sum(entry.amount_micro_rub) FILTER (WHERE (entry.kind = 'charge'::service.entry_kind)) AS charged
           FROM service.entry
          WHERE (entry.task_id IS NOT NULL)
          GROUP BY entry.task_id) moved ON ((moved.task_id = task.id)))
  WHERE ((moved.charged IS DISTINCT FROM ((- task.price_micro_rub))::numeric) OR (moved.account_id <> task.account_id) OR (moved.last_account_id <> task.account_id) OR (moved.entries <>
        CASE task.status
            WHEN 'fail'::service.task_status THEN 2
            ELSE 1
        END) OR (moved.amount <> (
        CASE task.status
            WHEN 'fail'::service.task_status THEN (0)::bigint
            ELSE (- task.price_micro_rub)
        END)::numeric));

CREATE TABLE service.rate_limit (
    account_id integer NOT NULL,
    route text NOT NULL,
    accepted_at timestamp(6) with time zone[],
    requests_max integer,
    last_accepted integer DEFAULT 0 NOT NULL,
    accepted_total bigint[],
    CONSTRAINT rate_limit_requests_max_positive CHECK ((requests_max > 0))
);

CREATE TABLE service.retention (
    id integer NOT NULL,
    kind text NOT NULL,
    due_at timestamp(6) with time zone,
    failed_visits integer DEFAULT 0 NOT NULL,
    lease_owner integer
);

CREATE SEQUENCE service.task_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE service.task_id_seq OWNED BY service.task.id;

ALTER TABLE ONLY bot.balance_reading ALTER COLUMN id SET DEFAULT nextval('bot.balance_reading_id_seq'::regclass);

ALTER TABLE ONLY bot.change ALTER COLUMN id SET DEFAULT nextval('bot.change_id_seq'::regclass);

ALTER TABLE ONLY bot.charge ALTER COLUMN id SET DEFAULT nextval('bot.charge_id_seq'::regclass);

ALTER TABLE ONLY bot.conversation ALTER COLUMN id SET DEFAULT nextval('bot.conversation_id_seq'::regclass);

ALTER TABLE ONLY bot.message ALTER COLUMN id SET DEFAULT nextval('bot.message_id_seq'::regclass);

ALTER TABLE ONLY bot."order" ALTER COLUMN id SET DEFAULT nextval('bot.order_id_seq'::regclass);

ALTER TABLE ONLY bot.order_card ALTER COLUMN id SET DEFAULT nextval('bot.order_card_id_seq'::regclass);

ALTER TABLE ONLY bot.turn ALTER COLUMN id SET DEFAULT nextval('bot.turn_id_seq'::regclass);

ALTER TABLE ONLY public.instance ALTER COLUMN id SET DEFAULT nextval('public.instance_id_seq'::regclass);

ALTER TABLE ONLY service.account ALTER COLUMN id SET DEFAULT nextval('service.account_id_seq'::regclass);

ALTER TABLE ONLY service.entry ALTER COLUMN id SET DEFAULT nextval('service.entry_id_seq'::regclass);

ALTER TABLE ONLY service.task ALTER COLUMN id SET DEFAULT nextval('service.task_id_seq'::regclass);

INSERT INTO bot.balance_reading VALUES (1, '2026-11-24 02:10:01.758+00', 1000000000000, 0, 0, 0, 0, 0, true, 0, 0, 0, 0, 0);

INSERT INTO bot.change VALUES (1, 1001, 'limit_month', 1002, NULL, '50000000', '2026-11-24 02:10:32.731+00');

INSERT INTO bot.charge VALUES (1, 1001, 1, NULL, 44250, false, 'alpha-large', 11, 71, '2026-11-24 02:10:07.553+00', 'answer', 1001, 1, 0, 150000000, 600000000, NULL, false, '2cb97112-dd66-4367-ab9d-e15325d3dd62', NULL, '2026-11-24');
INSERT INTO bot.charge VALUES (2, 1001, 2, NULL, 55800, false, 'alpha-large', 92, 70, '2026-11-24 02:10:16.45+00', 'answer', 1001, 1, 82, 150000000, 600000000, NULL, false, '1db238ef-b4f2-4f1f-909b-3c6479275aca', NULL, '2026-11-24');
INSERT INTO bot.charge VALUES (3, 1002, 3, NULL, 48450, false, 'alpha-large', 11, 78, '2026-11-24 02:10:25.172+00', 'answer', 1002, 1, 0, 150000000, 600000000, NULL, false, '023ad24e-51a0-439c-bdca-79bbc1832324', NULL, '2026-11-24');
INSERT INTO bot.charge VALUES (4, 1001, NULL, 1, 40000000, false, 'vidgen-720p-5s', NULL, NULL, '2026-11-24 02:10:34.838+00', 'video', 1001, NULL, NULL, NULL, NULL, NULL, false, NULL, 1, '2026-11-24');
INSERT INTO bot.charge VALUES (5, 1002, NULL, 2, 5000000, false, 'imagegen', NULL, NULL, '2026-11-24 02:10:46.812+00', 'image', 1002, NULL, NULL, NULL, NULL, NULL, false, NULL, 2, '2026-11-24');
INSERT INTO bot.charge VALUES (6, 1002, NULL, 3, 3000000, false, 'soundgen', NULL, NULL, '2026-11-24 02:10:54.803+00', 'sound', 1002, NULL, NULL, NULL, NULL, NULL, false, NULL, 3, '2026-11-24');
INSERT INTO bot.charge VALUES (7, 1002, 4, NULL, 43650, false, 'alpha-large', 11, 70, '2026-11-24 02:11:06.53+00', 'answer', 1002, 1, 0, 150000000, 600000000, NULL, false, '64d687f4-3d58-4156-8e09-c2d6ac059ecb', NULL, '2026-11-24');

INSERT INTO bot.conversation VALUES (1, 1001, 0, NULL, '2026-11-24 02:10:01.733+00', NULL, NULL, '2026-11-24 02:10:01.748495+00', NULL, NULL, false, NULL, true);
INSERT INTO bot.conversation VALUES (2, 1002, 0, NULL, '2026-11-24 02:10:03.709+00', NULL, NULL, '2026-11-24 02:10:03.717083+00', NULL, NULL, false, NULL, true);
INSERT INTO bot.conversation VALUES (3, 1002, 0, NULL, '2026-11-24 02:11:02.753+00', NULL, NULL, '2026-11-24 02:11:02.762042+00', NULL, NULL, false, NULL, false);

INSERT INTO bot.message VALUES (1, 1, 1, 'user', 'What is a kopeck?', NULL, NULL, NULL, NULL, '2026-11-24 02:10:05.713+00', NULL);
INSERT INTO bot.message VALUES (2, 1, 1, 'assistant', 'This is the **demo model**: no neural network stands behind it. The request held 1 message.

Your last message was:

> What is a kopeck?

An answer may have:

- **bold** and *italic* words
- lists such as this one
- `code` in a line or in a block

```ts
const answer: string = "demo"
console.log(answer)
```', 'alpha-large', 11, 71, 44250, '2026-11-24 02:10:07.553+00', NULL);
INSERT INTO bot.message VALUES (3, 1, 2, 'user', 'And a rouble?', NULL, NULL, NULL, NULL, '2026-11-24 02:10:14.722+00', NULL);
INSERT INTO bot.message VALUES (4, 1, 2, 'assistant', 'This is the **demo model**: no neural network stands behind it. The request held 3 messages.

Your last message was:

> And a rouble?

An answer may have:

- **bold** and *italic* words
- lists such as this one
- `code` in a line or in a block

```ts
const answer: string = "demo"
console.log(answer)
```', 'alpha-large', 92, 70, 55800, '2026-11-24 02:10:16.45+00', NULL);
INSERT INTO bot.message VALUES (5, 2, 3, 'user', 'Расскажи о реке', NULL, NULL, NULL, NULL, '2026-11-24 02:10:23.725+00', NULL);
INSERT INTO bot.message VALUES (6, 2, 3, 'assistant', 'Это **демонстрационная модель**: нейросети за ней нет. Сообщений в запросе: 1.

Ваше последнее сообщение:

> Расскажи о реке

В ответе бывают:

- **жирные** слова и *курсив*
- списки, такие как этот
- `код` в строке или отдельным блоком

```ts
const answer: string = "демо"
console.log(answer)
```', 'alpha-large', 11, 78, 48450, '2026-11-24 02:10:25.172+00', NULL);
INSERT INTO bot.message VALUES (7, 3, 4, 'user', 'A new conversation', NULL, NULL, NULL, NULL, '2026-11-24 02:11:04.757+00', NULL);
INSERT INTO bot.message VALUES (8, 3, 4, 'assistant', 'This is the **demo model**: no neural network stands behind it. The request held 1 message.

Your last message was:

> A new conversation

An answer may have:

- **bold** and *italic* words
- lists such as this one
- `code` in a line or in a block

```ts
const answer: string = "demo"
console.log(answer)
```', 'alpha-large', 11, 70, 43650, '2026-11-24 02:11:06.53+00', NULL);
INSERT INTO bot.message VALUES (9, 1, 5, 'user', 'Tell me a very long story about a ship, please', NULL, NULL, NULL, NULL, '2026-11-24 02:11:15.257+00', NULL);

INSERT INTO bot."order" VALUES (1, 1001, 1001, 0, 13, 14, 15, '{"prompt": "a paper boat", "quality": "720p", "duration": 5, "aspect_ratio": "1280:720"}', 'vidgen-720p-5s', 40000000, '544b4e4c-df5e-40a3-af13-3db7e664ec31', 'delivered', 1, NULL, NULL, NULL, '2026-11-24 02:10:34.753+00', '2026-11-24 02:10:38.913+00', NULL, 0, 'video', 'message 1001 13', false, '{http://127.0.0.1:34261/files/6586f7d2245030143eee866125f0e7081681e35b.mp4}', '2026-11-24 02:10:34.838+00', '[{"type": "video", "fileId": "BAACAgaJixnnSpQCaHr78xJK6cPr5EmM62j4am--y7l0Ze6xV9"}]', NULL, 0, NULL, NULL, false, NULL, '2026-11-24 02:11:34.849+00', NULL);
INSERT INTO bot."order" VALUES (2, 1002, 1002, 0, 16, 17, 18, '{"prompt": "a cat", "aspect_ratio": "1:1"}', 'imagegen', 5000000, '22159c4a-621c-443d-a361-828bb091d02b', 'delivered', 2, NULL, NULL, NULL, '2026-11-24 02:10:46.755+00', '2026-11-24 02:10:48.796+00', NULL, 0, 'image', 'message 1002 16', false, '{http://127.0.0.1:34261/files/e30f2eed9679fffebf220dcf276463c764d2284d.png}', '2026-11-24 02:10:46.812+00', '[{"type": "photo", "fileId": "BAACAgvrJyQFOSgU3f2kkbjFS1ew3xmmqRJsMDAylt3-ZHF7-a"}]', NULL, 0, NULL, NULL, true, '{"code": 200, "error": null, "model": "imagegen", "status": "success", "task_id": 2, "timestamp": 1795486246, "result_urls": ["http://127.0.0.1:34261/files/e30f2eed9679fffebf220dcf276463c764d2284d.png"]}', NULL, NULL);
INSERT INTO bot."order" VALUES (3, 1002, 1002, 0, 19, 20, 21, '{"prompt": "rain", "duration": 5}', 'soundgen', 3000000, 'c9ac7921-50fa-40be-940d-91d25bc33ae1', 'delivered', 3, NULL, NULL, NULL, '2026-11-24 02:10:54.75+00', '2026-11-24 02:10:56.79+00', NULL, 0, 'sound', 'message 1002 19', false, '{http://127.0.0.1:34261/files/cb6764a845f9ef083134af7982b4fd8399fbe53e.wav}', '2026-11-24 02:10:54.803+00', '[{"type": "document", "fileId": "BAACAgf16FZNRPokZ9x1iyRhiw9huNsA-CtT2c03asYvSx1S0_"}]', NULL, 0, NULL, NULL, true, '{"code": 200, "error": null, "model": "soundgen", "status": "success", "task_id": 3, "timestamp": 1795486254, "result_urls": ["http://127.0.0.1:34261/files/cb6764a845f9ef083134af7982b4fd8399fbe53e.wav"]}', NULL, NULL);

INSERT INTO bot.order_card VALUES (1, 1002, 1002, 0, 'video', 'message 1002 26', 26, 27, NULL, NULL, '{"shape": "16:9", "quality": "720p", "duration": 10}', 'a long river', NULL, NULL, '{"vidgen-720p-5s": {"microRub": "40000000", "estimated": false}, "vidgen-1080p-5s": {"microRub": "70000000", "estimated": false}, "vidgen-720p-10s": {"microRub": "80000000", "estimated": false}}', 'confirmation', '2026-11-24 02:11:13.78+00');

INSERT INTO bot.published VALUES ('commands', '0z6M13NuYphRXkTkJJMCa8Sz83oecBwWr8v-pxrSMC0');
INSERT INTO bot.published VALUES ('description en', 'Write anything, and a language model answers. Send a file and ask about it, or reply to any message to ask about just that.

I also make short clips, pictures and sounds.

You always see what it costs: /usage adds it up. In a group, mention me.');
INSERT INTO bot.published VALUES ('description ru', 'Напишите что угодно, и ответит языковая модель. Пришлите файл и спросите о нём или ответьте на любое сообщение, чтобы спросить именно о нём.

Ещё я создаю короткие ролики, картинки и звуки.

Сколько это стоит, видно всегда: расходы покажет /usage. В группе упомяните меня.');
INSERT INTO bot.published VALUES ('short_description en', 'Language models, clips, pictures and sounds in one chat. Every kopeck accounted for.');
INSERT INTO bot.published VALUES ('short_description ru', 'Языковые модели, ролики, картинки и звуки в одном чате. На счету каждая копейка.');
INSERT INTO bot.published VALUES ('name en', 'Kopeck');
INSERT INTO bot.published VALUES ('name ru', 'Копейка');

INSERT INTO bot.reservation VALUES ('turn', 5, 1001, 1001, 2491050, '2026-11-24 02:11:15.267+00');

INSERT INTO bot.routine VALUES (1, 'money', '2026-11-24 02:15:01.804621+00', 0, NULL);
INSERT INTO bot.routine VALUES (2, 'digest', '2026-11-24 02:12:01.723453+00', 0, NULL);

INSERT INTO bot.service_gate VALUES ('video', '{"2026-11-24 02:10:34.816+00"}', NULL, 0);
INSERT INTO bot.service_gate VALUES ('image', '{"2026-11-24 02:10:46.792+00"}', NULL, 0);
INSERT INTO bot.service_gate VALUES ('sound', '{"2026-11-24 02:10:54.785+00"}', NULL, 0);
INSERT INTO bot.service_gate VALUES ('chat', '{"2026-11-24 02:10:14.724+00","2026-11-24 02:10:23.727+00","2026-11-24 02:11:04.764+00","2026-11-24 02:11:15.261+00"}', NULL, 0);

INSERT INTO bot.spend_day VALUES (1001, 1001, '2026-11-24', 'answer', 'alpha-large', 2, 100050, 0, 0, 12300);
INSERT INTO bot.spend_day VALUES (1001, 1001, '2026-11-24', 'video', 'vidgen-720p-5s', 1, 40000000, 0, 0, 0);
INSERT INTO bot.spend_day VALUES (1002, 1002, '2026-11-24', 'image', 'imagegen', 1, 5000000, 0, 0, 0);
INSERT INTO bot.spend_day VALUES (1002, 1002, '2026-11-24', 'sound', 'soundgen', 1, 3000000, 0, 0, 0);
INSERT INTO bot.spend_day VALUES (1002, 1002, '2026-11-24', 'answer', 'alpha-large', 2, 92100, 0, 0, 0);

INSERT INTO bot.spend_limit VALUES (1002, 'month', 50000000, 1001, '2026-11-24 02:10:32.731+00');

INSERT INTO bot.spend_total VALUES (1001, 1001, 'answer', 'alpha-large', 2, 100050, 0, 0, 12300);
INSERT INTO bot.spend_total VALUES (1001, 1001, 'video', 'vidgen-720p-5s', 1, 40000000, 0, 0, 0);
INSERT INTO bot.spend_total VALUES (1002, 1002, 'image', 'imagegen', 1, 5000000, 0, 0, 0);
INSERT INTO bot.spend_total VALUES (1002, 1002, 'sound', 'soundgen', 1, 3000000, 0, 0, 0);
INSERT INTO bot.spend_total VALUES (1002, 1002, 'answer', 'alpha-large', 2, 92100, 0, 0, 0);

INSERT INTO bot.spender VALUES (1002, 0, '2026-11-24', 8092100, 8092100, 8092100, 8092100, NULL);
INSERT INTO bot.spender VALUES (1001, 2491050, '2026-11-24', 40100050, 40100050, 40100050, 40100050, NULL);

INSERT INTO bot.turn VALUES (5, 1, 1001, 1001, 0, 28, 'alpha-large', 'streaming', '{29}', 'This is the **demo model**: no neural network stands behind it. The request held 5 messages.

Your last message was:

> Tell me a very long story about a ship, please

An answer may', NULL, '2026-11-24 02:11:15.257+00', NULL, 1, NULL, '2026-11-24 02:11:15+00', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 2491050, NULL, NULL, '{}', false, 'answer', NULL, NULL, NULL, '{}');
INSERT INTO bot.turn VALUES (1, 1, 1001, 1001, 0, 5, 'alpha-large', 'finished', '{6}', 'This is the **demo model**: no neural network stands behind it. The request held 1 message.

Your last message was:

> What is a kopeck?

An answer may have:

- **bold** and *italic* words
-', NULL, '2026-11-24 02:10:05.713+00', '2026-11-24 02:10:07.582+00', 1, NULL, '2026-11-24 02:10:05+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2459700, NULL, NULL, '{}', false, 'answer', NULL, NULL, NULL, '{}');
INSERT INTO bot.turn VALUES (2, 1, 1001, 1001, 0, 7, 'alpha-large', 'finished', '{8}', 'This is the **demo model**: no neural network stands behind it. The request held 3 messages.

Your last message was:

> And a rouble?

An answer may have:

- **bold** and *italic* words
-', NULL, '2026-11-24 02:10:14.722+00', '2026-11-24 02:10:16.467+00', 1, NULL, '2026-11-24 02:10:14+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2474850, NULL, NULL, '{}', false, 'answer', NULL, NULL, NULL, '{}');
INSERT INTO bot.turn VALUES (3, 2, 1002, 1002, 0, 9, 'alpha-large', 'finished', '{10}', 'Это', NULL, '2026-11-24 02:10:23.725+00', '2026-11-24 02:10:25.21+00', 1, NULL, '2026-11-24 02:10:23+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2459700, NULL, NULL, '{}', false, 'answer', NULL, NULL, NULL, '{}');
INSERT INTO bot.turn VALUES (4, 3, 1002, 1002, 0, 24, 'alpha-large', 'finished', '{25}', 'This is the **demo model**: no neural network stands behind it. The request held 1 message.

Your last message was:

> A new conversation

An answer may have:

- **bold** and *italic* words', NULL, '2026-11-24 02:11:04.757+00', '2026-11-24 02:11:06.56+00', 1, NULL, '2026-11-24 02:11:04+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 2459700, NULL, NULL, '{}', false, 'answer', NULL, NULL, NULL, '{}');

INSERT INTO bot.update VALUES (410000001, NULL, '2026-11-24 02:10:01.7+00', '1001 0', '2026-11-24 02:10:01+00', '2026-11-24 02:10:01.699+00', NULL, NULL, '2026-11-24 02:10:01.7+00', '2026-11-24 02:10:01.796+00', '2026-11-24 02:10:01.796+00', NULL, false);
INSERT INTO bot.update VALUES (410000002, NULL, '2026-11-24 02:10:03.701+00', '1002 0', '2026-11-24 02:10:03+00', '2026-11-24 02:10:03.701+00', NULL, NULL, '2026-11-24 02:10:03.701+00', '2026-11-24 02:10:03.73+00', '2026-11-24 02:10:03.73+00', NULL, false);
INSERT INTO bot.update VALUES (410000003, NULL, '2026-11-24 02:10:05.705+00', '1001 0', '2026-11-24 02:10:05+00', '2026-11-24 02:10:05.705+00', NULL, NULL, '2026-11-24 02:10:05.705+00', '2026-11-24 02:10:07.603+00', '2026-11-24 02:10:07.603+00', '2026-11-24 02:10:05.718361+00', false);
INSERT INTO bot.update VALUES (410000004, NULL, '2026-11-24 02:10:14.717+00', '1001 0', '2026-11-24 02:10:14+00', '2026-11-24 02:10:14.717+00', NULL, NULL, '2026-11-24 02:10:14.717+00', '2026-11-24 02:10:16.47+00', '2026-11-24 02:10:16.47+00', '2026-11-24 02:10:14.724072+00', false);
INSERT INTO bot.update VALUES (410000005, NULL, '2026-11-24 02:10:23.72+00', '1002 0', '2026-11-24 02:10:23+00', '2026-11-24 02:10:23.72+00', NULL, NULL, '2026-11-24 02:10:23.72+00', '2026-11-24 02:10:25.214+00', '2026-11-24 02:10:25.214+00', '2026-11-24 02:10:23.727187+00', false);
INSERT INTO bot.update VALUES (410000006, NULL, '2026-11-24 02:10:32.722+00', '1001 0', '2026-11-24 02:10:32+00', '2026-11-24 02:10:32.721+00', NULL, NULL, '2026-11-24 02:10:32.722+00', '2026-11-24 02:10:32.748+00', '2026-11-24 02:10:32.748+00', NULL, false);
INSERT INTO bot.update VALUES (410000007, NULL, '2026-11-24 02:10:34.728+00', '1001 0', '2026-11-24 02:10:34+00', '2026-11-24 02:10:34.727+00', NULL, NULL, '2026-11-24 02:10:34.728+00', '2026-11-24 02:10:34.787+00', '2026-11-24 02:10:34.787+00', NULL, false);
INSERT INTO bot.update VALUES (410000008, NULL, '2026-11-24 02:10:46.734+00', '1002 0', '2026-11-24 02:10:46+00', '2026-11-24 02:10:46.733+00', NULL, NULL, '2026-11-24 02:10:46.734+00', '2026-11-24 02:10:46.773+00', '2026-11-24 02:10:46.773+00', NULL, false);
INSERT INTO bot.update VALUES (410000009, NULL, '2026-11-24 02:10:54.741+00', '1002 0', '2026-11-24 02:10:54+00', '2026-11-24 02:10:54.741+00', NULL, NULL, '2026-11-24 02:10:54.741+00', '2026-11-24 02:10:54.771+00', '2026-11-24 02:10:54.771+00', NULL, false);
INSERT INTO bot.update VALUES (410000010, NULL, '2026-11-24 02:11:02.745+00', '1002 0', '2026-11-24 02:11:02+00', '2026-11-24 02:11:02.745+00', NULL, NULL, '2026-11-24 02:11:02.745+00', '2026-11-24 02:11:02.792+00', '2026-11-24 02:11:02.792+00', NULL, false);
INSERT INTO bot.update VALUES (410000011, NULL, '2026-11-24 02:11:04.748+00', '1002 0', '2026-11-24 02:11:04+00', '2026-11-24 02:11:04.748+00', NULL, NULL, '2026-11-24 02:11:04.748+00', '2026-11-24 02:11:06.569+00', '2026-11-24 02:11:06.573+00', '2026-11-24 02:11:04.763667+00', false);
INSERT INTO bot.update VALUES (410000012, NULL, '2026-11-24 02:11:13.751+00', '1002 0', '2026-11-24 02:11:13+00', '2026-11-24 02:11:13.75+00', NULL, NULL, '2026-11-24 02:11:13.751+00', '2026-11-24 02:11:13.799+00', '2026-11-24 02:11:13.799+00', NULL, false);
INSERT INTO bot.update VALUES (410000013, '{"message": {"chat": {"id": 1001, "type": "private", "first_name": "Anna"}, "date": 1795486275, "from": {"id": 1001, "is_bot": false, "first_name": "Anna", "language_code": "ru"}, "text": "Tell me a very long story about a ship, please", "message_id": 28}, "update_id": 410000013}', '2026-11-24 02:11:15.253+00', '1001 0', '2026-11-24 02:11:15+00', '2026-11-24 02:11:15.252+00', NULL, 1, '2026-11-24 02:11:15.253+00', NULL, NULL, '2026-11-24 02:11:15.260468+00', false);

INSERT INTO bot."user" VALUES (1001, 'Anna', NULL, 'ru', '2026-11-24 02:10:01.722+00', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, false, '2026-11-24 02:10:01.722+00', NULL);
INSERT INTO bot."user" VALUES (1002, 'Boris', NULL, 'ru', '2026-11-24 02:10:03.707+00', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, false, '2026-11-24 02:11:06.566+00', NULL);

INSERT INTO public._prisma_migrations VALUES ('372656f9-b8ca-4034-afe7-fddcbdde05b2', 'b287ad1d8f0f90e15a56653e00b57f77ec6dc8fe6a5f6d2acd34d24b91a885b1', '2026-11-24 02:09:59.7767+00', '20261121000000_spine', NULL, NULL, '2026-11-24 02:09:59.736959+00', 1);
INSERT INTO public._prisma_migrations VALUES ('b1a1ee33-9246-4a72-ad40-d27002ed76cb', 'ed137dcb05884f45beaf41248d00d30ae10acd882018a0e444ca32b1128d2d11', '2026-11-24 02:09:59.782572+00', '20261121010000_rate_limit', NULL, NULL, '2026-11-24 02:09:59.779114+00', 1);
INSERT INTO public._prisma_migrations VALUES ('45162b45-1d77-490e-b2bd-5238ddb120f9', 'b8bea7705c318f05d094f47f6dfd86bac8da4bc817f73840228607bc38268fe1', '2026-11-24 02:09:59.789801+00', '20261121020000_callback', NULL, NULL, '2026-11-24 02:09:59.78366+00', 1);
INSERT INTO public._prisma_migrations VALUES ('803abfea-9459-457f-a858-7c9a224bc4b8', '4b86d0afcaea532d785c0ac6c1a6a85d839542a2d2032c93b11977fefeffd248', '2026-11-24 02:09:59.792229+00', '20261121040000_api_key_last_use', NULL, NULL, '2026-11-24 02:09:59.790913+00', 1);
INSERT INTO public._prisma_migrations VALUES ('b66c250b-f7ed-4b9e-a912-85e13522d622', '13cbca785ba5e7ece3b7a6459d463b6686c4d6d4f7e6abef19f2a6d2b33350af', '2026-11-24 02:09:59.796044+00', '20261121050000_inbox', NULL, NULL, '2026-11-24 02:09:59.79293+00', 1);
INSERT INTO public._prisma_migrations VALUES ('72afcb7c-12ae-4708-a1a8-c94aa2a8231c', '95288852db82faab7103db13856680bfe1e50157b2e513fdff37ad03c315571c', '2026-11-24 02:09:59.799673+00', '20261121060000_turn_attempts', NULL, NULL, '2026-11-24 02:09:59.796846+00', 1);
INSERT INTO public._prisma_migrations VALUES ('a8e43cf6-0905-42aa-88d8-a7d9e6596b2d', '7a1e6db5d4c738812061b2bdeed524805d2e1bd86649992fdc8298666a566ae5', '2026-11-24 02:09:59.804033+00', '20261121070000_conversation_commands', NULL, NULL, '2026-11-24 02:09:59.801519+00', 1);
INSERT INTO public._prisma_migrations VALUES ('3b57f2fc-3d7e-42cd-aef6-5dec7b79f41d', '88fd6128acff4e96343526fee6fd59077d58d64566022813aa26e1aca20103ed', '2026-11-24 02:09:59.80764+00', '20261121080000_access', NULL, NULL, '2026-11-24 02:09:59.804855+00', 1);
INSERT INTO public._prisma_migrations VALUES ('a7ca8dda-aa56-44ea-a410-2bf3d541f62f', 'd3a9f0f973ad9a5b512bc9453131f26aa745b6a0237293bf31db0913ba780913', '2026-11-24 02:09:59.809928+00', '20261121085000_drafts', NULL, NULL, '2026-11-24 02:09:59.808689+00', 1);
INSERT INTO public._prisma_migrations VALUES ('1a3e2488-c1c2-4a92-83f1-4ea4efedf5e5', '48348d5e91714a7305dc6b324a9f63ab0eda7012481218f042c23d1349cbf429', '2026-11-24 02:09:59.814186+00', '20261121090000_line', NULL, NULL, '2026-11-24 02:09:59.810659+00', 1);
INSERT INTO public._prisma_migrations VALUES ('998fa8d2-9875-40c2-908f-ade6462b1d98', '25d2c5a8a817cf65e448c22cc65957cd387df62c3f0ccdb42edf5dcb81920c38', '2026-11-24 02:09:59.81557+00', '20261121110000_turn_sending', NULL, NULL, '2026-11-24 02:09:59.814804+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2e664703-33a1-4f68-9e11-9389f721744a', 'fd087d6e5426f908606337c91fc17bdd0ccbd8e69fc43030f575d329fc138017', '2026-11-24 02:09:59.818337+00', '20261121120000_flood_rest', NULL, NULL, '2026-11-24 02:09:59.815914+00', 1);
INSERT INTO public._prisma_migrations VALUES ('3c78ad8a-e99f-46f6-afb6-834600229a9c', '2bc3157374abc047b1874685d0999820a8342345842b0389d9a5f3c73d746c61', '2026-11-24 02:09:59.82198+00', '20261121121000_prompt_part', NULL, NULL, '2026-11-24 02:09:59.819348+00', 1);
INSERT INTO public._prisma_migrations VALUES ('48977b5e-f66a-4e26-9623-ff606831d2b0', '126d7d80c7a733216a6bb4d390c9f556309cd13f036e8fca53d64ccfd3284a11', '2026-11-24 02:09:59.823878+00', '20261121130000_chat_status', NULL, NULL, '2026-11-24 02:09:59.82262+00', 1);
INSERT INTO public._prisma_migrations VALUES ('24c84b7e-95a0-4371-a165-20dd8d1b0d35', 'cba5fb8a58f0eeb6926f5247b4fb82ba6e732dd6620a526b797cb13bd3c058e9', '2026-11-24 02:09:59.828075+00', '20261122020100_due_rows', NULL, NULL, '2026-11-24 02:09:59.825337+00', 1);
INSERT INTO public._prisma_migrations VALUES ('4293a7f2-3742-4e90-852c-f3f5114806e8', 'd76e8f278c96ffd790212c7d33599b8cf1ac5719bc47131891a8597c183376bf', '2026-11-24 02:09:59.832967+00', '20261122040100_service_queue', NULL, NULL, '2026-11-24 02:09:59.828891+00', 1);
INSERT INTO public._prisma_migrations VALUES ('4df2db02-1f8a-4c36-b251-067f18bea67f', '3f073719b99f7e81fb08128a160b63814baee0c07be31020b1e291d0fd09d693', '2026-11-24 02:09:59.835974+00', '20261122040200_due_orders', NULL, NULL, '2026-11-24 02:09:59.834144+00', 1);
INSERT INTO public._prisma_migrations VALUES ('6ba77b4f-59b0-4c1e-b44d-46ee25869eae', '384cd0cf76d788e40876149dae234dd470a6af4d662a7ad0e57d7de3abc49fd2', '2026-11-24 02:09:59.838414+00', '20261122040300_drop_jobs', NULL, NULL, '2026-11-24 02:09:59.836977+00', 1);
INSERT INTO public._prisma_migrations VALUES ('edeae8d9-481b-4767-a3a2-00465d16335a', '857d887d72103aebef2c20a0a0795939d48122acce45cc013d5f67c2aaadfd2c', '2026-11-24 02:09:59.840413+00', '20261122050100_too_long', NULL, NULL, '2026-11-24 02:09:59.83913+00', 1);
INSERT INTO public._prisma_migrations VALUES ('71863bff-b30c-4b11-b624-32312764b713', 'f6bc822c04a6f3a86843cf44cbb6fb6dc6383d5cc32de6d1611a221c5276440e', '2026-11-24 02:09:59.842869+00', '20261122060101_flood_wait', NULL, NULL, '2026-11-24 02:09:59.84094+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ebe8da2b-9d81-4279-8fb2-028814f12518', 'ad85ef98ce44d451dfe3bad33615250ecebd4fa50ec5d41db9be4fccd11372e0', '2026-11-24 02:09:59.844668+00', '20261122060110_update_words', NULL, NULL, '2026-11-24 02:09:59.843406+00', 1);
INSERT INTO public._prisma_migrations VALUES ('e9cd7e10-cc79-4bd9-9234-f5571f93b0db', '6d8c511c27b2b34957aac4038a0076753736e926615200663bc0e41e1790f7bd', '2026-11-24 02:09:59.852552+00', '20261122090000_instance', NULL, NULL, '2026-11-24 02:09:59.85002+00', 1);
INSERT INTO public._prisma_migrations VALUES ('dff41eb7-2480-407b-9717-ae9fb671b75e', '4a45f6184cf876ffcd73b9658eb6b7d9b2202ecfc6486ba13a5dc8f93b63bad7', '2026-11-24 02:09:59.854442+00', '20261122090100_turn_lease', NULL, NULL, '2026-11-24 02:09:59.8533+00', 1);
INSERT INTO public._prisma_migrations VALUES ('001b8742-12af-4da9-88bd-f37809a43185', '637f5164800d4130c684a018663442c1408c6dc8ef7de25f01e0988b448e186a', '2026-11-24 02:09:59.856829+00', '20261122093001_write_off', NULL, NULL, '2026-11-24 02:09:59.855172+00', 1);
INSERT INTO public._prisma_migrations VALUES ('f2dae90b-eaf8-4af3-b72a-eb49470f44f3', '32b63d87d127f8bb77eaa472877484b2950101e98a4d9879bbe6d8917267fc1d', '2026-11-24 02:09:59.859081+00', '20261122093002_past_write_offs', NULL, NULL, '2026-11-24 02:09:59.8574+00', 1);
INSERT INTO public._prisma_migrations VALUES ('64b26cbe-8052-473d-b75f-2d52e77b2d50', '2cb905bfded9c5ec90941fef6c172e34fd9c4c16ab9f808dd2955ed8c5a6f256', '2026-11-24 02:09:59.863511+00', '20261122100000_media_orders', NULL, NULL, '2026-11-24 02:09:59.859964+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ea023d07-5526-4ab3-9f2a-b81a95860270', '87c71c5d4e218df22bf8f145d531c9fd9bb188c2eff583f5cc062a9be6dec6a1', '2026-11-24 02:09:59.867111+00', '20261122101000_order_due_indexes', NULL, NULL, '2026-11-24 02:09:59.864311+00', 1);
INSERT INTO public._prisma_migrations VALUES ('cc3d0198-6a40-4607-85f9-c4a7a2d02272', 'd03ce5d2555d1d2b1934c891ec58357da5b311aa176c78d334180b6eb56cdb7e', '2026-11-24 02:09:59.869139+00', '20261122101001_service_away', NULL, NULL, '2026-11-24 02:09:59.867925+00', 1);
INSERT INTO public._prisma_migrations VALUES ('c41dd3d1-cc85-42c4-ac28-c3f567599949', '9abed326b659cfd8c6e393a2034a57063e11c071188381aa6af593f6bd3624e6', '2026-11-24 02:09:59.871401+00', '20261122101100_learnt_prices', NULL, NULL, '2026-11-24 02:09:59.869792+00', 1);
INSERT INTO public._prisma_migrations VALUES ('1adbaea7-4754-4a88-b3d2-48e4bba3a421', '17822e7f2a86abce1ec0b1204baa8055894556302ad8d6b878c674dd0e46124e', '2026-11-24 02:09:59.873225+00', '20261122101101_unpriced_orders', NULL, NULL, '2026-11-24 02:09:59.872183+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ebe4f090-6e8e-4ac9-911d-174012aff22b', 'f292eefece091c644b94dce1a0ffc850c31c882fd91b49de3cc21bb2829ca61e', '2026-11-24 02:09:59.878479+00', '20261122101201_order_cards', NULL, NULL, '2026-11-24 02:09:59.873884+00', 1);
INSERT INTO public._prisma_migrations VALUES ('70058020-855f-4e98-b8f7-6b5dfc89dbe7', '92cacaedd9371d4fab851c419842616c998fa4a480fd3bcf9a7d93ebf4665d16', '2026-11-24 02:09:59.880657+00', '20261122101300_delivered_files', NULL, NULL, '2026-11-24 02:09:59.879381+00', 1);
INSERT INTO public._prisma_migrations VALUES ('47b8e2e6-06a1-4f24-86ca-33f2e2697362', '49f6fe5483848de8fc5309262223d30dacf7a6646a1042e74edbdd9b5e8cd189', '2026-11-24 02:09:59.882796+00', '20261122101301_delivery', NULL, NULL, '2026-11-24 02:09:59.881295+00', 1);
INSERT INTO public._prisma_migrations VALUES ('88fec3f9-45df-4e1e-a844-ec26d56f4198', 'a052258429645f2d5f25bd2d36552fd625261f22f00c7315150e8286ad5f8aeb', '2026-11-24 02:09:59.885686+00', '20261122101400_pictures', NULL, NULL, '2026-11-24 02:09:59.88335+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ec650a8f-c153-4c2c-a4d8-cb7ae1639553', '881868ccd15b81a32c2cfebe605b672cf92299f225ddb38d47fbfc37fec01b58', '2026-11-24 02:09:59.887145+00', '20261122101401_order_callbacks', NULL, NULL, '2026-11-24 02:09:59.886168+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2e3549b2-0c90-4296-aa66-10faa766d178', '1e56d8840f179e61b3f08b3f644fa1975ae13f9e7d0b521421967e840870b9a5', '2026-11-24 02:09:59.889169+00', '20261122101500_status_due', NULL, NULL, '2026-11-24 02:09:59.887663+00', 1);
INSERT INTO public._prisma_migrations VALUES ('c4fc8639-b4b8-4661-aea7-85ea0e266269', '2efc279c2ddbb4687f181ce2444eb8fcde246b8477c5c2dc9df33039ee44c04a', '2026-11-24 02:09:59.890801+00', '20261122101501_waiting_orders', NULL, NULL, '2026-11-24 02:09:59.889469+00', 1);
INSERT INTO public._prisma_migrations VALUES ('240eb953-694f-4f4d-88a2-7f29ed71e2db', 'e74d749fa77202f4106c619de9bb7132a2297c1a159d0a6d21bf4fe50cf8ff38', '2026-11-24 02:09:59.893629+00', '20261122101502_submission_due_index', NULL, NULL, '2026-11-24 02:09:59.891525+00', 1);
INSERT INTO public._prisma_migrations VALUES ('04cd33f2-498f-480a-8eeb-f4f49ad18a5f', '535269cfc83ac7dd1b64cd9a2a523b2d26714fbf192aad04e5943e28099c317c', '2026-11-24 02:09:59.89639+00', '20261122101503_button_orders', NULL, NULL, '2026-11-24 02:09:59.894771+00', 1);
INSERT INTO public._prisma_migrations VALUES ('6e3b875f-9618-4edc-a047-729a90985790', 'c94cec23470c4acc04d298021eeb9482501228397e706b12448657b887ac1843', '2026-11-24 02:09:59.898975+00', '20261122101504_short_visits_index', NULL, NULL, '2026-11-24 02:09:59.89735+00', 1);
INSERT INTO public._prisma_migrations VALUES ('8af6aeea-7b25-48d0-a959-321145683e12', '6bd749d97395d6667cd841a966456616e868b30c2d4e331ef9e90a2f1eb216dd', '2026-11-24 02:09:59.912169+00', '20261122110000_charges', NULL, NULL, '2026-11-24 02:09:59.899674+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ed9b3973-74ee-4a85-ac02-a8ee735b1821', 'b07f6698a0a6f55327ea3916e0ce432fc206974e28d709b79a3fc7cfb4a0f267', '2026-11-24 02:09:59.914418+00', '20261122110001_request_under_way', NULL, NULL, '2026-11-24 02:09:59.913329+00', 1);
INSERT INTO public._prisma_migrations VALUES ('145565ef-04e4-4e13-a052-613880ba351b', '30aeb9969db90aa1a810530f1f4c7fc7bb87bc3a0db943e723b5b68c37772176', '2026-11-24 02:09:59.916934+00', '20261122110100_request_copies', NULL, NULL, '2026-11-24 02:09:59.915105+00', 1);
INSERT INTO public._prisma_migrations VALUES ('cb505860-362a-4492-a01d-8713dbc47705', 'd030764f12635cc607b49105f8b2cb13f327959d595e71211970d14413c00934', '2026-11-24 02:09:59.921776+00', '20261122110101_spend_limits', NULL, NULL, '2026-11-24 02:09:59.918147+00', 1);
INSERT INTO public._prisma_migrations VALUES ('52928ead-2ffc-455f-b94e-ea337c4f12f6', 'fa01ac4c31c736195539883e6c4905974f8a94e9dcaba3e672b75dfe58454666', '2026-11-24 02:09:59.924025+00', '20261122110200_charges_by_day', NULL, NULL, '2026-11-24 02:09:59.922805+00', 1);
INSERT INTO public._prisma_migrations VALUES ('bae745d8-ea59-4196-834b-0ef771cec653', 'dcf6bdb685c7d94f3836e9fdfb855580428fb7c4863c9aa31146c58588721887', '2026-11-24 02:09:59.926048+00', '20261122110301_roles', NULL, NULL, '2026-11-24 02:09:59.924595+00', 1);
INSERT INTO public._prisma_migrations VALUES ('baf20b00-dc10-4c59-a8fd-f86414c95097', '90b35924e2d824f10ffbf9d2900dd020be3708dc91446e6a0d5fbe9c66939369', '2026-11-24 02:09:59.929297+00', '20261122110302_change', NULL, NULL, '2026-11-24 02:09:59.926989+00', 1);
INSERT INTO public._prisma_migrations VALUES ('703263b8-6186-4756-b786-8d9b6c145f56', 'b74f8d8f1af71127389e02d7aea501ce02c82a2cc66d120b60cbeff4accb4a11', '2026-11-24 02:09:59.931817+00', '20261122110303_seen', NULL, NULL, '2026-11-24 02:09:59.930022+00', 1);
INSERT INTO public._prisma_migrations VALUES ('698bf7c0-0528-487e-979e-408b69debb72', 'acad7a983b847221e8b82752fa04b2e03faaafe6b063250f62ad1036e5b04b92', '2026-11-24 02:09:59.935617+00', '20261122110304_balance_reading', NULL, NULL, '2026-11-24 02:09:59.932525+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2cfd106b-0ba5-4c2a-9fde-0cb7400ed61e', 'fdc6dbfe198ba1cd67cd25b7c72a584649dd86b6871482304a5231c7d717075f', '2026-11-24 02:09:59.939445+00', '20261122110305_stats_indexes', NULL, NULL, '2026-11-24 02:09:59.936383+00', 1);
INSERT INTO public._prisma_migrations VALUES ('92c24879-f2a8-4b93-b988-da06f23930f3', 'cb6dd088e558c1fe8cb5c1564065b6a0c411b4d88185b41741c3ae84240d7a0d', '2026-11-24 02:09:59.941546+00', '20261122110306_settled_readings', NULL, NULL, '2026-11-24 02:09:59.940216+00', 1);
INSERT INTO public._prisma_migrations VALUES ('de980f73-899a-4698-89d5-b413ae2c79f9', '877856874ad2f3c47d0fd2e1f02b70600236906173fef8e881c0c36bd18e16a7', '2026-11-24 02:09:59.944932+00', '20261122110401_routines', NULL, NULL, '2026-11-24 02:09:59.942389+00', 1);
INSERT INTO public._prisma_migrations VALUES ('5feb0d1b-c2bc-45a3-a59f-329aa04e5768', '1aeb94e3a1080e2fa4266aedc215dea723e8bcf6659b2b5fae46430daec7c9f8', '2026-11-24 02:09:59.949146+00', '20261122110501_dashboard', NULL, NULL, '2026-11-24 02:09:59.945723+00', 1);
INSERT INTO public._prisma_migrations VALUES ('d42dd6ce-7a43-4cf0-9883-6dd62194cbf8', '58895e0329e8124d295881259b1c01a17264259de39a29942430dd54d54d0165', '2026-11-24 02:09:59.950856+00', '20261122120000_waiting_turns', NULL, NULL, '2026-11-24 02:09:59.949971+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2e133787-69a0-45b0-8bc3-67dd02a0506a', '72fc0df07c704efec14f4eb2d7b0787621d9104a67c88b2770286b717f0c3c92', '2026-11-24 02:09:59.955014+00', '20261122120001_noted_updates', NULL, NULL, '2026-11-24 02:09:59.952398+00', 1);
INSERT INTO public._prisma_migrations VALUES ('c67dcc42-8f7c-4104-aed8-511682621f7c', 'cea3db1a9fd6867a4b1acd6f6e7ef6022228b7be9ee4e6f01c3559de3f9ab338', '2026-11-24 02:09:59.957473+00', '20261122120101_files', NULL, NULL, '2026-11-24 02:09:59.955788+00', 1);
INSERT INTO public._prisma_migrations VALUES ('66d75997-9f86-46f4-8b2d-0720e13bc2ac', '807897c7b8d0ec87fbb589f926f55214269d0bbfd6abb93e6f7e86e4804be3cb', '2026-11-24 02:09:59.959675+00', '20261122120200_entered_conversations', NULL, NULL, '2026-11-24 02:09:59.958065+00', 1);
INSERT INTO public._prisma_migrations VALUES ('dbc662fc-e4a4-44c1-a556-40e3df57c199', '27009e8accf4a5ff64eb16278055ec970d1a63633f55ff6820e4e9894c14e005', '2026-11-24 02:09:59.961951+00', '20261122120201_named_conversations', NULL, NULL, '2026-11-24 02:09:59.960878+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2f6dddc3-41cd-435e-8d9a-5663a0cdb95a', '12d0c87667122491a346ac2350bf1437b3de6db219185ad52d7f4ab7306c6b28', '2026-11-24 02:09:59.963508+00', '20261122120202_named_topics', NULL, NULL, '2026-11-24 02:09:59.962497+00', 1);
INSERT INTO public._prisma_migrations VALUES ('c285cf0a-6eb9-41d4-8b16-4359ed3bdb86', 'eef0c1f69e63dddd8a80586bc26d82239ec544fced6c71e8aceff6f69983d779', '2026-11-24 02:09:59.965085+00', '20261122120300_cost_notes', NULL, NULL, '2026-11-24 02:09:59.963971+00', 1);
INSERT INTO public._prisma_migrations VALUES ('56f42566-ffca-4ee7-9d69-3b5d60e2df08', 'a42883894b8c447fb78e17221588d976fe54e33ae5cd7d597236c10ecfc68cc1', '2026-11-24 02:09:59.96755+00', '20261122120301_variants', NULL, NULL, '2026-11-24 02:09:59.965545+00', 1);
INSERT INTO public._prisma_migrations VALUES ('af48df36-9e68-4045-8faf-b3771814322a', 'f01dccf0aff4a701c0948d31da0436743c7cf093a1302f1cfcb4411f9cbdaff7', '2026-11-24 02:09:59.969225+00', '20261122120401_summary_turns', NULL, NULL, '2026-11-24 02:09:59.968051+00', 1);
INSERT INTO public._prisma_migrations VALUES ('5ad762cc-057d-4e39-8857-ea1602eba4e2', '7e23c6afacc024de4b1818a7cc92e5933e85a33109c66b2df123bbec8db53794', '2026-11-24 02:09:59.970532+00', '20261122120402_summaries', NULL, NULL, '2026-11-24 02:09:59.969791+00', 1);
INSERT INTO public._prisma_migrations VALUES ('30b567d9-a210-4d93-b9e6-2da8b0c547d9', '5c424dc3075e881ab78aa7bdfd140a7939aa90f3165aaed6a983053420168825', '2026-11-24 02:09:59.972631+00', '20261122120500_admin_code', NULL, NULL, '2026-11-24 02:09:59.970976+00', 1);
INSERT INTO public._prisma_migrations VALUES ('2b7b5e79-64bd-462a-bbc5-56af9f72bb48', '92743e273a8c5d2a24a67fe0f21e2ec80b1ccd8130d02ca21fc0149fe0d59257', '2026-11-24 02:09:59.974931+00', '20261122120501_asked_examples', NULL, NULL, '2026-11-24 02:09:59.973505+00', 1);
INSERT INTO public._prisma_migrations VALUES ('620a52c1-cb19-4da4-a716-3245922b0dc6', '34d72b6979982663504e481f58285488730adf1f56e4f3028d4073c4498a989b', '2026-11-24 02:09:59.97694+00', '20261122120502_published', NULL, NULL, '2026-11-24 02:09:59.9754+00', 1);
INSERT INTO public._prisma_migrations VALUES ('3bf25296-f870-45c5-8572-9d9ed6773ad3', '487eecb05e6894894599fafb92b7132d1f2feff4b2959fc2a0f140be263588d2', '2026-11-24 02:09:59.978715+00', '20261122120600_attempt_origins', NULL, NULL, '2026-11-24 02:09:59.977442+00', 1);
INSERT INTO public._prisma_migrations VALUES ('164e0266-c700-46b0-b449-c8e56be2c3b5', '89e0f6d50fdfa1cb490b09803b86e0bdceb376c1c11eb75f71b22d15bc04b8fa', '2026-11-24 02:09:59.9803+00', '20261122120700_maybe_double', NULL, NULL, '2026-11-24 02:09:59.979242+00', 1);
INSERT INTO public._prisma_migrations VALUES ('bd53ffae-000f-404d-bf82-ab86cba7fb4c', 'c4bad3e368a75155154983d8cea90b7c9689789f69b613d7d5deb7509880898a', '2026-11-24 02:09:59.981612+00', '20261122130100_entries_outlive_holds', NULL, NULL, '2026-11-24 02:09:59.980657+00', 1);
INSERT INTO public._prisma_migrations VALUES ('b3f38fc2-0e5a-4be0-b30e-0528b24b0847', 'd21b1606b9c76764a516a2f941d15865463acfe0be8fe9e98488404e484b732b', '2026-11-24 02:09:59.982563+00', '20261122130101_first_visits', NULL, NULL, '2026-11-24 02:09:59.981948+00', 1);
INSERT INTO public._prisma_migrations VALUES ('4c78acaf-0d6b-45f9-a63b-bbc1994eb6df', '75e35912dcd3214afbf958d7c091f919b30afe3f93e53fe5f5b0291418018c72', '2026-11-24 02:09:59.986166+00', '20261122130102_callback_rounds', NULL, NULL, '2026-11-24 02:09:59.983012+00', 1);
INSERT INTO public._prisma_migrations VALUES ('ff173115-d8ce-4b42-81f2-f7eaa441d919', '0c07e986837d2facc9d0fc2c90387d80f79bdf70c22ddf8d959e82e1f30dc124', '2026-11-24 02:09:59.990354+00', '20261122130103_retention', NULL, NULL, '2026-11-24 02:09:59.98707+00', 1);
INSERT INTO public._prisma_migrations VALUES ('d5e03d11-3eb4-4c97-b3e0-ed8b9ba635fc', '70f676de2d31be87661b8bfce9043c241ca86850ff1acc5dc7afdb0d6ffaaa34', '2026-11-24 02:09:59.991855+00', '20261122130200_debit', NULL, NULL, '2026-11-24 02:09:59.991051+00', 1);
INSERT INTO public._prisma_migrations VALUES ('96f0eadf-ca52-4646-9ab8-43eebdae3418', '66fae4909f90283820f5c78ac1ff22d6903d5527dc307518a33f3137c3d485a8', '2026-11-24 02:09:59.994325+00', '20261122130201_adjustments', NULL, NULL, '2026-11-24 02:09:59.992221+00', 1);
INSERT INTO public._prisma_migrations VALUES ('6d3fda0d-161f-4f19-8767-3179dd41ce73', '0d4c258400f59149d74d6d0e966ae5d427f5cbb939ecb370708318374253bb9e', '2026-11-24 02:09:59.996141+00', '20261122130202_account_state', NULL, NULL, '2026-11-24 02:09:59.994989+00', 1);
INSERT INTO public._prisma_migrations VALUES ('c4b6fbae-f3e7-4841-b205-6f3cdcbc3d52', 'a94287c93fd7d149e8c2887c7ab24c68ef23f62593d8df391a2e0ceaa71639ee', '2026-11-24 02:09:59.999585+00', '20261122130300_keys', NULL, NULL, '2026-11-24 02:09:59.996646+00', 1);
INSERT INTO public._prisma_migrations VALUES ('07f4e007-7a03-4f51-962c-727a1f055414', '93deb0b8a80936a251254c31fe615c2908922999bfed5602e6afc0288757ebbd', '2026-11-24 02:10:00.005352+00', '20261122131000_ledger_check', NULL, NULL, '2026-11-24 02:10:00.000282+00', 1);
INSERT INTO public._prisma_migrations VALUES ('44c9432b-d7b6-4092-b75f-1205b29408a2', '9508cffe5b8e4fdc56367913d0d59cfe77cfebc0d49d47cf1d1710d033c43502', '2026-11-24 02:10:00.007176+00', '20261122140100_limit_counts', NULL, NULL, '2026-11-24 02:10:00.006174+00', 1);
INSERT INTO public._prisma_migrations VALUES ('4eb74ba8-27f4-45e8-9766-7e1ccda215ef', '33be729b49b8dcb0b05c3b7cd50e3c73ca060aa780d99c6c08db23894ea2532c', '2026-11-24 02:10:00.008952+00', '20261122140101_statements_know_rows', NULL, NULL, '2026-11-24 02:10:00.007655+00', 1);
INSERT INTO public._prisma_migrations VALUES ('e68e1709-5419-4874-8a41-ee738605ab51', 'd43f6850dfe12a2dfd3a686dab31e358f9d0d96a234955ddeff0c5a85c71fc0d', '2026-11-24 02:10:00.010673+00', '20261122140102_limit_totals', NULL, NULL, '2026-11-24 02:10:00.009817+00', 1);
INSERT INTO public._prisma_migrations VALUES ('78ca81ea-9ecf-4a25-80af-16c048688139', '29ce738937020b5d64c0705891a5080fab6c97b7190f5a66d6c25901ab5f9f9c', '2026-11-24 02:10:00.020246+00', '20261122140201_first_conversations', NULL, NULL, '2026-11-24 02:10:00.018502+00', 1);
INSERT INTO public._prisma_migrations VALUES ('b440235b-c321-4881-92e7-dc5549baaed8', '0e16e0a316cd7be5ea8f9ab5f78ca1d6bbe4b00b7c0a866ee0fe3825a382bc07', '2026-11-24 02:10:00.022411+00', '20261122140202_told_changes', NULL, NULL, '2026-11-24 02:10:00.020855+00', 1);
INSERT INTO public._prisma_migrations VALUES ('38afc5a8-0471-447a-bb73-7654397929f9', '7c9e7f840cf64548a7935dc081da27b9564b40c78ff05954cbc2631485674d4a', '2026-11-24 02:10:00.024398+00', '20261122140500_unended_turns', NULL, NULL, '2026-11-24 02:10:00.022911+00', 1);
INSERT INTO public._prisma_migrations VALUES ('88233657-e89c-4436-b6c5-3c045148e436', '778c48518da66fa8ca4dbb3cfa23108c65e527624afbde19f9b7d2576a9586c4', '2026-11-24 02:10:00.026049+00', '20261122140501_seen_users', NULL, NULL, '2026-11-24 02:10:00.024955+00', 1);
INSERT INTO public._prisma_migrations VALUES ('f966b8e4-7f33-4f0f-9ac0-5f31e4541b8b', 'a2f6118cdaaab5e07eda32e00fa1976a38d61c611fe9c3b63cff0dda52ba7374', '2026-11-24 02:10:00.02743+00', '20261122140502_updates_since', NULL, NULL, '2026-11-24 02:10:00.026481+00', 1);
INSERT INTO public._prisma_migrations VALUES ('85dad425-1680-46b4-96f3-15d7e842ddaf', 'a30ae5f387da6ccffdde7682514487073463a5eb55670ffcffdf9497ab5b798e', '2026-11-24 02:10:00.029209+00', '20261122140503_ended_tasks', NULL, NULL, '2026-11-24 02:10:00.027648+00', 1);
INSERT INTO public._prisma_migrations VALUES ('d9fa92ef-ed26-413e-a23a-02f37239663b', 'f2ecdbdc9cc7a093ce86b51a4cf80d9cfd827b2b109f323a40c95429335a2675', '2026-11-24 02:10:00.030319+00', '20261122140504_named_users', NULL, NULL, '2026-11-24 02:10:00.029446+00', 1);
INSERT INTO public._prisma_migrations VALUES ('8dd280ec-f359-4f26-9697-0eadd8cdd4e8', '4bf38ad380f0a3f14137c52fe4b1beb88d34a0b57f6aa3ea7f3a6bf62a7c275c', '2026-11-24 02:10:00.032343+00', '20261122140505_spend_of_dates', NULL, NULL, '2026-11-24 02:10:00.030776+00', 1);
INSERT INTO public._prisma_migrations VALUES ('40871fac-92dc-4b92-85fc-d106d7724f46', '690a7e9a64849db20ef82786baffd3a95c4b6cdae8a8602f6a8d430fad900008', '2026-11-24 02:10:00.034021+00', '20261122140506_known_causes', NULL, NULL, '2026-11-24 02:10:00.032589+00', 1);

INSERT INTO public.instance VALUES (1, 'bot-service 3ecd4e47-973f-45d8-a007-1e50138497f0 vm 65024 5466374', '{bot,service}', true, '2026-11-24 02:11:16.60692+00');

INSERT INTO service.account VALUES (1, 'bot', 999949316800, '5bedc10ae5944edd1946015743fac43e2fd18d57f1007ab542f9052a8614f05d', '2026-11-24 02:10:01.22+00', 'open');
INSERT INTO service.account VALUES (2, 'shop', 570000000, '6295bad3efc0dae545a4d03971d22afdcf81c89c2ea1f03f2c374858b7bc9b3a', '2026-11-24 02:11:18.166+00', 'open');

INSERT INTO service.api_key VALUES ('process1x06fc3b8f', 1, '\x02916492384f755d09e30f6102c37c627254b597853a1aba14021033ca68974f', '2026-11-24 02:10:01.237+00', NULL, '2026-11-24 02:11:04.779+00', NULL, NULL, NULL, 50683200, NULL);
INSERT INTO service.api_key VALUES ('76f4ea07470b6063', 2, '\xb428aeeb01a43e5ee2124ca7a760e42bff18621b6def6b6ab5fec86eb3349e93', '2026-11-24 02:11:18.166+00', NULL, NULL, NULL, NULL, NULL, 0, NULL);

INSERT INTO service.callback VALUES (2, '\x7b227461736b5f6964223a322c22737461747573223a2273756363657373222c22636f6465223a3230302c22726573756c745f75726c73223a5b22687474703a2f2f3132372e302e302e313a33343236312f66696c65732f653330663265656439363739666666656266323230646366323736343633633736346432323834642e706e67225d2c226572726f72223a6e756c6c2c226d6f64656c223a22696d61676567656e222c2274696d657374616d70223a313739353438363234367d', 'delivered', '2026-11-24 02:10:46.923+00', '2026-11-24 02:10:46.948+00', NULL, 0, NULL, NULL, 0);
INSERT INTO service.callback VALUES (3, '\x7b227461736b5f6964223a332c22737461747573223a2273756363657373222c22636f6465223a3230302c22726573756c745f75726c73223a5b22687474703a2f2f3132372e302e302e313a33343236312f66696c65732f636236373634613834356639656630383331333461663739383262346664383339396662653533652e776176225d2c226572726f72223a6e756c6c2c226d6f64656c223a22736f756e6467656e222c2274696d657374616d70223a313739353438363235347d', 'delivered', '2026-11-24 02:10:54.915+00', '2026-11-24 02:10:54.933+00', NULL, 0, NULL, NULL, 0);

INSERT INTO service.callback_attempt VALUES (2, 1, '2026-11-24 02:10:46.932+00', '2026-11-24 02:10:46.948+00', 200, NULL);
INSERT INTO service.callback_attempt VALUES (3, 1, '2026-11-24 02:10:54.926+00', '2026-11-24 02:10:54.933+00', 200, NULL);

INSERT INTO service.ended_tasks VALUES ('success', 0, 0, '1970-01-01 00:00:00+00');
INSERT INTO service.ended_tasks VALUES ('fail', 0, 0, '1970-01-01 00:00:00+00');

INSERT INTO service.entry VALUES (1, 1, 'credit', 1000000000000, NULL, NULL, '2026-11-24 02:10:01.22+00', NULL, NULL, NULL);
INSERT INTO service.entry VALUES (2, 1, 'hold', -2459700, '2cb97112-dd66-4367-ab9d-e15325d3dd62', NULL, '2026-11-24 02:10:05.74+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (3, 1, 'settlement', 2415450, '2cb97112-dd66-4367-ab9d-e15325d3dd62', NULL, '2026-11-24 02:10:07.54+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (4, 1, 'hold', -2474850, '1db238ef-b4f2-4f1f-909b-3c6479275aca', NULL, '2026-11-24 02:10:14.736+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (5, 1, 'settlement', 2419050, '1db238ef-b4f2-4f1f-909b-3c6479275aca', NULL, '2026-11-24 02:10:16.444+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (6, 1, 'hold', -2459700, '023ad24e-51a0-439c-bdca-79bbc1832324', NULL, '2026-11-24 02:10:23.734+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (7, 1, 'settlement', 2411250, '023ad24e-51a0-439c-bdca-79bbc1832324', NULL, '2026-11-24 02:10:25.142+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (8, 1, 'charge', -40000000, NULL, 1, '2026-11-24 02:10:34.827+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (9, 1, 'charge', -5000000, NULL, 2, '2026-11-24 02:10:46.801+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (10, 1, 'charge', -3000000, NULL, 3, '2026-11-24 02:10:54.793+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (11, 1, 'hold', -2459700, '64d687f4-3d58-4156-8e09-c2d6ac059ecb', NULL, '2026-11-24 02:11:04.78+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (12, 1, 'settlement', 2416050, '64d687f4-3d58-4156-8e09-c2d6ac059ecb', NULL, '2026-11-24 02:11:06.519+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (13, 1, 'hold', -2491050, 'de3eb048-4330-4b89-82df-631ff204057d', NULL, '2026-11-24 02:11:15.274+00', NULL, NULL, 'process1x06fc3b8f');
INSERT INTO service.entry VALUES (14, 2, 'credit', 500000000, NULL, NULL, '2026-11-24 02:11:18.166+00', NULL, NULL, NULL);
INSERT INTO service.entry VALUES (15, 2, 'credit', 100000000, NULL, NULL, '2026-11-24 02:11:18.844+00', NULL, NULL, NULL);
INSERT INTO service.entry VALUES (16, 2, 'debit', -30000000, NULL, NULL, '2026-11-24 02:11:19.481+00', 'paid back', NULL, NULL);

INSERT INTO service.hold VALUES ('2cb97112-dd66-4367-ab9d-e15325d3dd62', 1, 'alpha-large', 2459700, 'settled', '2026-11-24 02:10:05.781+00', 1, 44250, 11, 71, '2026-11-24 02:10:05.74+00', '2026-11-24 02:10:07.54+00', 'process1x06fc3b8f', 150000000, 600000000, 'demo');
INSERT INTO service.hold VALUES ('1db238ef-b4f2-4f1f-909b-3c6479275aca', 1, 'alpha-large', 2474850, 'settled', '2026-11-24 02:10:14.771+00', 1, 55800, 92, 70, '2026-11-24 02:10:14.736+00', '2026-11-24 02:10:16.444+00', 'process1x06fc3b8f', 150000000, 600000000, 'demo');
INSERT INTO service.hold VALUES ('023ad24e-51a0-439c-bdca-79bbc1832324', 1, 'alpha-large', 2459700, 'settled', '2026-11-24 02:10:23.768+00', 1, 48450, 11, 78, '2026-11-24 02:10:23.734+00', '2026-11-24 02:10:25.142+00', 'process1x06fc3b8f', 150000000, 600000000, 'demo');
INSERT INTO service.hold VALUES ('64d687f4-3d58-4156-8e09-c2d6ac059ecb', 1, 'alpha-large', 2459700, 'settled', '2026-11-24 02:11:04.827+00', 1, 43650, 11, 70, '2026-11-24 02:11:04.78+00', '2026-11-24 02:11:06.519+00', 'process1x06fc3b8f', 150000000, 600000000, 'demo');
INSERT INTO service.hold VALUES ('de3eb048-4330-4b89-82df-631ff204057d', 1, 'alpha-large', 2491050, 'held', '2026-11-24 02:11:15.312+00', 1, NULL, NULL, NULL, '2026-11-24 02:11:15.274+00', NULL, 'process1x06fc3b8f', 150000000, 600000000, 'demo');

INSERT INTO service.ledger_check VALUES (1, '2026-11-24 03:10:01.213291+00', 0, NULL, '2026-11-24 02:10:01.212+00', 0);

INSERT INTO service.rate_limit VALUES (1, 'videos/vidgen-generate', '{"2026-11-24 02:10:34.833414+00"}', NULL, 1, NULL);
INSERT INTO service.rate_limit VALUES (1, 'images/imagegen-generate', '{"2026-11-24 02:10:46.80771+00"}', NULL, 1, NULL);
INSERT INTO service.rate_limit VALUES (1, 'callback/secret', '{"2026-11-24 02:10:46.941441+00"}', NULL, 1, NULL);
INSERT INTO service.rate_limit VALUES (1, 'sounds/soundgen-generate', '{"2026-11-24 02:10:54.798421+00"}', NULL, 1, NULL);
INSERT INTO service.rate_limit VALUES (1, 'chats/completions', '{"2026-11-24 02:10:23.734815+00","2026-11-24 02:11:04.792043+00","2026-11-24 02:11:15.279816+00"}', NULL, 1, NULL);

INSERT INTO service.retention VALUES (1, 'callback_attempts', '2026-11-24 02:09:59.98707+00', 0, NULL);
INSERT INTO service.retention VALUES (2, 'holds', '2026-11-24 02:09:59.98707+00', 0, NULL);
INSERT INTO service.retention VALUES (3, 'media', '2026-11-24 02:09:59.98707+00', 0, NULL);

INSERT INTO service.task VALUES (1, 1, 'videos/vidgen-generate', '{"prompt": "a paper boat", "quality": "720p", "duration": 5, "aspect_ratio": "1280:720"}', 'vidgen-720p-5s', 40000000, 'success', '{"maker": "demo", "quality": "720p", "upright": false, "duration": 5}', '{6586f7d2245030143eee866125f0e7081681e35b.mp4}', NULL, NULL, '544b4e4c-df5e-40a3-af13-3db7e664ec31', NULL, '2026-11-24 02:10:34.827+00', '2026-11-24 02:10:34.854+00', '2026-11-24 02:10:38.831286+00', NULL, NULL, 0, '2026-11-24 02:10:34.84+00', NULL, 'process1x06fc3b8f');
INSERT INTO service.task VALUES (2, 1, 'images/imagegen-generate', '{"prompt": "a cat", "aspect_ratio": "1:1"}', 'imagegen', 5000000, 'success', '{"maker": "demo", "prompt": "a cat", "aspectRatio": "1:1"}', '{e30f2eed9679fffebf220dcf276463c764d2284d.png}', NULL, NULL, '22159c4a-621c-443d-a361-828bb091d02b', NULL, '2026-11-24 02:10:46.801+00', '2026-11-24 02:10:46.923+00', NULL, 'http://127.0.0.1:34261/callbacks/22159c4a-621c-443d-a361-828bb091d02b', NULL, 0, '2026-11-24 02:10:46.815+00', NULL, 'process1x06fc3b8f');
INSERT INTO service.task VALUES (3, 1, 'sounds/soundgen-generate', '{"prompt": "rain", "duration": 5}', 'soundgen', 3000000, 'success', '{"maker": "demo", "notes": [49, 155, 68, 197, 112, 164, 23, 255, 52, 68, 137, 108, 212, 170, 119, 240, 82, 182, 120, 23, 115, 252, 47, 154, 161, 241, 24, 10, 199, 69, 0, 92], "duration": 5}', '{cb6764a845f9ef083134af7982b4fd8399fbe53e.wav}', NULL, NULL, 'c9ac7921-50fa-40be-940d-91d25bc33ae1', NULL, '2026-11-24 02:10:54.793+00', '2026-11-24 02:10:54.915+00', NULL, 'http://127.0.0.1:34261/callbacks/c9ac7921-50fa-40be-940d-91d25bc33ae1', NULL, 0, '2026-11-24 02:10:54.812+00', NULL, 'process1x06fc3b8f');

SELECT pg_catalog.setval('bot.balance_reading_id_seq', 1, true);

SELECT pg_catalog.setval('bot.change_id_seq', 1, true);

SELECT pg_catalog.setval('bot.charge_id_seq', 7, true);

SELECT pg_catalog.setval('bot.conversation_id_seq', 3, true);

SELECT pg_catalog.setval('bot.message_id_seq', 9, true);

SELECT pg_catalog.setval('bot.order_card_id_seq', 1, true);

SELECT pg_catalog.setval('bot.order_id_seq', 4, true);

SELECT pg_catalog.setval('bot.turn_id_seq', 5, true);

SELECT pg_catalog.setval('public.instance_id_seq', 1, true);

SELECT pg_catalog.setval('service.account_id_seq', 2, true);

SELECT pg_catalog.setval('service.entry_id_seq', 16, true);

SELECT pg_catalog.setval('service.task_id_seq', 3, true);

ALTER TABLE ONLY bot.admin_code
    ADD CONSTRAINT admin_code_pkey PRIMARY KEY (code_hash);

ALTER TABLE ONLY bot.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (name);

ALTER TABLE ONLY bot.asked_example
    ADD CONSTRAINT asked_example_pkey PRIMARY KEY (chat_id, greeting_id, example);

ALTER TABLE ONLY bot.balance_reading
    ADD CONSTRAINT balance_reading_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.charge
    ADD CONSTRAINT charge_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.chat
    ADD CONSTRAINT chat_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.conversation
    ADD CONSTRAINT conversation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.dashboard_button
    ADD CONSTRAINT dashboard_button_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY bot.dashboard_session
    ADD CONSTRAINT dashboard_session_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY bot.dashboard_ticket
    ADD CONSTRAINT dashboard_ticket_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY bot.digest
    ADD CONSTRAINT digest_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY bot.flood_wait
    ADD CONSTRAINT flood_wait_pkey PRIMARY KEY (chat_id);

ALTER TABLE ONLY bot.learnt_price
    ADD CONSTRAINT learnt_price_pkey PRIMARY KEY (label);

ALTER TABLE ONLY bot.limit_request
    ADD CONSTRAINT limit_request_pkey PRIMARY KEY (subject_id, period);

ALTER TABLE ONLY bot.limit_warning
    ADD CONSTRAINT limit_warning_pkey PRIMARY KEY (subject_id, period);

ALTER TABLE ONLY bot.media_setting
    ADD CONSTRAINT media_setting_pkey PRIMARY KEY (user_id, kind);

ALTER TABLE ONLY bot.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.order_card
    ADD CONSTRAINT order_card_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot."order"
    ADD CONSTRAINT order_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.picture
    ADD CONSTRAINT picture_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY bot.prompt_part
    ADD CONSTRAINT prompt_part_pkey PRIMARY KEY (chat_id, message_id);

ALTER TABLE ONLY bot.published
    ADD CONSTRAINT published_pkey PRIMARY KEY (name);

ALTER TABLE ONLY bot.queue_entry
    ADD CONSTRAINT queue_entry_pkey PRIMARY KEY (kind, id);

ALTER TABLE ONLY bot.request_copy
    ADD CONSTRAINT request_copy_pkey PRIMARY KEY (request, admin_id);

ALTER TABLE ONLY bot.reservation
    ADD CONSTRAINT reservation_pkey PRIMARY KEY (kind, id);

ALTER TABLE ONLY bot.routine
    ADD CONSTRAINT routine_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.service_gate
    ADD CONSTRAINT service_gate_pkey PRIMARY KEY (kind);

ALTER TABLE ONLY bot.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);

ALTER TABLE ONLY bot.spend_date
    ADD CONSTRAINT spend_date_pkey PRIMARY KEY (day, kind, item);

ALTER TABLE ONLY bot.spend_day
    ADD CONSTRAINT spend_day_pkey PRIMARY KEY (user_id, chat_id, day, kind, item);

ALTER TABLE ONLY bot.spend_limit
    ADD CONSTRAINT spend_limit_pkey PRIMARY KEY (subject_id, period);

ALTER TABLE ONLY bot.spend_total
    ADD CONSTRAINT spend_total_pkey PRIMARY KEY (user_id, chat_id, kind, item);

ALTER TABLE ONLY bot.spender
    ADD CONSTRAINT spender_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.turn
    ADD CONSTRAINT turn_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot.update
    ADD CONSTRAINT update_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bot."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public._prisma_migrations
    ADD CONSTRAINT _prisma_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.instance
    ADD CONSTRAINT instance_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (public_id);

ALTER TABLE ONLY service.callback_attempt
    ADD CONSTRAINT callback_attempt_pkey PRIMARY KEY (task_id, number);

ALTER TABLE ONLY service.callback
    ADD CONSTRAINT callback_pkey PRIMARY KEY (task_id);

ALTER TABLE ONLY service.ended_tasks
    ADD CONSTRAINT ended_tasks_pkey PRIMARY KEY (status);

ALTER TABLE ONLY service.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service.hold
    ADD CONSTRAINT hold_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY service.ledger_check
    ADD CONSTRAINT ledger_check_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (account_id, route);

ALTER TABLE ONLY service.retention
    ADD CONSTRAINT retention_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);

CREATE INDEX balance_reading_known_idx ON bot.balance_reading USING btree (id) WHERE (cause_written_off IS NOT NULL);

CREATE INDEX change_subject_id_id_idx ON bot.change USING btree (subject_id, id);

CREATE INDEX charge_chat_id_idx ON bot.charge USING btree (chat_id);

CREATE INDEX charge_created_at_idx ON bot.charge USING btree (created_at);

CREATE INDEX charge_day_id_idx ON bot.charge USING btree (day, id);

CREATE UNIQUE INDEX charge_of_order ON bot.charge USING btree (order_id) WHERE (reversal_of IS NULL);

CREATE UNIQUE INDEX charge_of_request ON bot.charge USING btree (turn_id, request) WHERE (reversal_of IS NULL);

CREATE INDEX charge_order_id_idx ON bot.charge USING btree (order_id);

CREATE UNIQUE INDEX charge_reversal_of_key ON bot.charge USING btree (reversal_of);

CREATE INDEX charge_turn_id_idx ON bot.charge USING btree (turn_id);

CREATE INDEX charge_user_id_created_at_idx ON bot.charge USING btree (user_id, created_at);

CREATE INDEX charge_written_off_estimate_idx ON bot.charge USING btree (id) WHERE (written_off AND estimated);

CREATE INDEX conversation_chat_id_thread_id_entered_at_id_idx ON bot.conversation USING btree (chat_id, thread_id, entered_at, id);

CREATE UNIQUE INDEX conversation_first_key ON bot.conversation USING btree (chat_id, thread_id) WHERE is_first;

CREATE INDEX dashboard_session_user_id_idx ON bot.dashboard_session USING btree (user_id);

CREATE INDEX dashboard_ticket_expires_at_idx ON bot.dashboard_ticket USING btree (expires_at);

CREATE INDEX limit_request_user_id_idx ON bot.limit_request USING btree (user_id);

CREATE INDEX message_conversation_id_id_idx ON bot.message USING btree (conversation_id, id);

CREATE UNIQUE INDEX message_turn_id_role_key ON bot.message USING btree (turn_id, role);

CREATE INDEX order_aside_due_idx ON bot."order" USING btree (due_at) WHERE ((state = ANY (ARRAY['waiting'::bot.order_state, 'cancelled'::bot.order_state])) AND (due_at IS NOT NULL));

CREATE UNIQUE INDEX order_button_under_way_idx ON bot."order" USING btree (button_key) WHERE (ended_at IS NULL);

CREATE INDEX order_card_chat_id_ask_message_id_idx ON bot.order_card USING btree (chat_id, ask_message_id);

CREATE INDEX order_card_chat_id_card_message_id_idx ON bot.order_card USING btree (chat_id, card_message_id);

CREATE UNIQUE INDEX order_card_origin_key_key ON bot.order_card USING btree (origin_key);

CREATE INDEX order_card_user_id_idx ON bot.order_card USING btree (user_id);

CREATE INDEX order_delivery_due_idx ON bot."order" USING btree (due_at) WHERE ((state = ANY (ARRAY['ready'::bot.order_state, 'failed'::bot.order_state])) AND (due_at IS NOT NULL));

CREATE INDEX order_ended_at_idx ON bot."order" USING btree (ended_at);

CREATE UNIQUE INDEX order_idempotency_key_key ON bot."order" USING btree (idempotency_key);

CREATE UNIQUE INDEX order_origin_key_key ON bot."order" USING btree (origin_key);

CREATE INDEX order_picture_hash_idx ON bot."order" USING btree (picture_hash) WHERE (picture_hash IS NOT NULL);

CREATE INDEX order_polling_due_idx ON bot."order" USING btree (due_at) WHERE ((state = 'generating'::bot.order_state) AND (due_at IS NOT NULL));

CREATE INDEX order_ready_idx ON bot."order" USING btree (chat_id) WHERE (state = 'ready'::bot.order_state);

CREATE INDEX order_submission_due_idx ON bot."order" USING btree (due_at) WHERE ((state = ANY (ARRAY['placed'::bot.order_state, 'submitted'::bot.order_state])) AND (due_at IS NOT NULL));

CREATE INDEX order_unpriced_idx ON bot."order" USING btree (label) WHERE (price_micro_rub IS NULL);

CREATE INDEX order_user_id_id_idx ON bot."order" USING btree (user_id, id);

CREATE INDEX order_user_under_way_idx ON bot."order" USING btree (user_id) WHERE (ended_at IS NULL);

CREATE INDEX picture_kept_until_idx ON bot.picture USING btree (kept_until) WHERE (bytes IS NOT NULL);

CREATE INDEX picture_user_id_idx ON bot.picture USING btree (user_id);

CREATE INDEX prompt_part_chat_id_first_id_idx ON bot.prompt_part USING btree (chat_id, first_id);

CREATE INDEX request_copy_user_id_idx ON bot.request_copy USING btree (user_id);

CREATE INDEX reservation_chat_id_idx ON bot.reservation USING btree (chat_id);

CREATE INDEX reservation_user_id_idx ON bot.reservation USING btree (user_id);

CREATE INDEX spend_day_chat_id_day_idx ON bot.spend_day USING btree (chat_id, day);

CREATE INDEX spend_day_day_idx ON bot.spend_day USING btree (day);

CREATE INDEX spend_total_chat_id_idx ON bot.spend_total USING btree (chat_id);

CREATE UNIQUE INDEX turn_chat_id_prompt_message_id_attempt_key ON bot.turn USING btree (chat_id, prompt_message_id, attempt);

CREATE INDEX turn_chat_id_thread_id_id_idx ON bot.turn USING btree (chat_id, thread_id, id);

CREATE INDEX turn_conversation_id_id_idx ON bot.turn USING btree (conversation_id, id);

CREATE INDEX turn_created_at_idx ON bot.turn USING btree (created_at);

CREATE UNIQUE INDEX turn_origin_key_key ON bot.turn USING btree (origin_key);

CREATE UNIQUE INDEX turn_replaces_id_key ON bot.turn USING btree (replaces_id);

CREATE INDEX turn_unended_idx ON bot.turn USING btree (chat_id, thread_id) WHERE (ended_at IS NULL);

CREATE INDEX turn_user_unended_idx ON bot.turn USING btree (user_id) WHERE (ended_at IS NULL);

CREATE INDEX update_conversation_key_idx ON bot.update USING btree (conversation_key, sent_at, id) WHERE (released_at IS NULL);

CREATE UNIQUE INDEX update_conversation_key_noting_key ON bot.update USING btree (conversation_key) WHERE ((lease_owner IS NOT NULL) AND (released_at IS NULL) AND (noted_at IS NULL));

CREATE INDEX update_conversation_key_received_at_idx ON bot.update USING btree (conversation_key, received_at);

CREATE UNIQUE INDEX update_conversation_key_turn_key ON bot.update USING btree (conversation_key) WHERE ((lease_owner IS NOT NULL) AND (released_at IS NULL) AND (NOT is_beside));

CREATE INDEX update_lease_owner_idx ON bot.update USING btree (lease_owner) WHERE (lease_owner IS NOT NULL);

CREATE INDEX update_received_at_id_idx ON bot.update USING btree (received_at, id);

CREATE INDEX update_waiting_idx ON bot.update USING btree (sent_at, id) WHERE ((handled_at IS NULL) AND (lease_owner IS NULL) AND (part_of IS NULL));

CREATE INDEX user_admission_at_idx ON bot."user" USING btree (admission_at DESC NULLS LAST, id);

CREATE INDEX user_lower_username_idx ON bot."user" USING btree (lower(username));

CREATE INDEX user_role_idx ON bot."user" USING btree (role) WHERE (role IS NOT NULL);

CREATE INDEX user_seen_at_idx ON bot."user" USING btree (seen_at DESC NULLS LAST, id);

CREATE UNIQUE INDEX instance_leads_key ON public.instance USING btree (leads) WHERE leads;

CREATE UNIQUE INDEX instance_name_key ON public.instance USING btree (name);

CREATE UNIQUE INDEX account_name_key ON service.account USING btree (name);

CREATE INDEX api_key_account_id_idx ON service.api_key USING btree (account_id);

CREATE INDEX callback_attempt_started_at_idx ON service.callback_attempt USING btree (started_at);

CREATE INDEX callback_due_idx ON service.callback USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX entry_account_id_id_idx ON service.entry USING btree (account_id, id);

CREATE UNIQUE INDEX entry_hold_id_kind_key ON service.entry USING btree (hold_id, kind);

CREATE UNIQUE INDEX entry_reference_idx ON service.entry USING btree (reference) WHERE (reference IS NOT NULL);

CREATE UNIQUE INDEX entry_task_id_kind_key ON service.entry USING btree (task_id, kind);

CREATE INDEX hold_account_id_created_at_idx ON service.hold USING btree (account_id, created_at);

CREATE INDEX hold_ended_idx ON service.hold USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX hold_open_idx ON service.hold USING btree (lease_owner) WHERE (state = 'held'::service.hold_state);

CREATE UNIQUE INDEX retention_kind_key ON service.retention USING btree (kind);

CREATE INDEX task_account_id_created_at_idx ON service.task USING btree (account_id, created_at);

CREATE UNIQUE INDEX task_account_id_idempotency_key_key ON service.task USING btree (account_id, idempotency_key);

CREATE INDEX task_due_idx ON service.task USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX task_ended_at_idx ON service.task USING btree (ended_at);

CREATE INDEX task_media_idx ON service.task USING btree (ended_at) WHERE ((status = 'success'::service.task_status) AND (media_removed_at IS NULL));

CREATE TRIGGER setting_tells_change AFTER INSERT OR DELETE OR UPDATE ON bot.setting FOR EACH STATEMENT EXECUTE FUNCTION bot.tell_change('bot.setting');

CREATE TRIGGER spend_limit_tells_change AFTER INSERT OR DELETE OR UPDATE ON bot.spend_limit FOR EACH STATEMENT EXECUTE FUNCTION bot.tell_change('bot.spend_limit');

CREATE TRIGGER user_tells_change AFTER UPDATE ON bot."user" FOR EACH ROW WHEN (((((((((old.first_name IS DISTINCT FROM new.first_name) OR (old.username IS DISTINCT FROM new.username)) OR (old.language_code IS DISTINCT FROM new.language_code)) OR (old.language IS DISTINCT FROM new.language)) OR (old.cost_note IS DISTINCT FROM new.cost_note)) OR (old.admission IS DISTINCT FROM new.admission)) OR (old.admission_at IS DISTINCT FROM new.admission_at)) OR (old.role IS DISTINCT FROM new.role))) EXECUTE FUNCTION bot.tell_change('bot.user');

CREATE TRIGGER user_tells_end AFTER DELETE ON bot."user" FOR EACH ROW EXECUTE FUNCTION bot.tell_change('bot.user');

CREATE TRIGGER entry_is_immutable BEFORE DELETE OR UPDATE ON service.entry FOR EACH ROW EXECUTE FUNCTION service.refuse_entry_change();

CREATE TRIGGER task_moves_forward BEFORE UPDATE ON service.task FOR EACH ROW WHEN (((new.status < old.status) OR ((old.status = ANY (ARRAY['success'::service.task_status, 'fail'::service.task_status])) AND (new.status <> old.status)))) EXECUTE FUNCTION service.refuse_task_step_back();

ALTER TABLE ONLY bot.charge
    ADD CONSTRAINT charge_order_id_fkey FOREIGN KEY (order_id) REFERENCES bot."order"(id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE ONLY bot.charge
    ADD CONSTRAINT charge_reversal_of_fkey FOREIGN KEY (reversal_of) REFERENCES bot.charge(id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE ONLY bot.charge
    ADD CONSTRAINT charge_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES bot.turn(id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE ONLY bot.charge
    ADD CONSTRAINT charge_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE ONLY bot.limit_request
    ADD CONSTRAINT limit_request_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot.media_setting
    ADD CONSTRAINT media_setting_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot.message
    ADD CONSTRAINT message_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES bot.conversation(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot.message
    ADD CONSTRAINT message_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES bot.turn(id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE ONLY bot.order_card
    ADD CONSTRAINT order_card_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot."order"
    ADD CONSTRAINT order_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE ONLY bot.request_copy
    ADD CONSTRAINT request_copy_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot.turn
    ADD CONSTRAINT turn_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES bot.conversation(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY bot.turn
    ADD CONSTRAINT turn_user_id_fkey FOREIGN KEY (user_id) REFERENCES bot."user"(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE ONLY service.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES service.account(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE ONLY service.callback_attempt
    ADD CONSTRAINT callback_attempt_task_id_fkey FOREIGN KEY (task_id) REFERENCES service.callback(task_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY service.callback
    ADD CONSTRAINT callback_task_id_fkey FOREIGN KEY (task_id) REFERENCES service.task(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY service.entry
    ADD CONSTRAINT entry_task_id_fkey FOREIGN KEY (task_id) REFERENCES service.task(id) ON UPDATE CASCADE ON DELETE SET NULL;

ALTER TABLE ONLY service.rate_limit
    ADD CONSTRAINT rate_limit_account_id_fkey FOREIGN KEY (account_id) REFERENCES service.account(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE ONLY service.task
    ADD CONSTRAINT task_account_id_fkey FOREIGN KEY (account_id) REFERENCES service.account(id) ON UPDATE CASCADE ON DELETE RESTRICT;

