-- The whole schema. prisma/schema repeats the tables of the schemas bot and public without what Prisma cannot express:
-- checks, triggers, partial indexes, fill factors, first rows. The service's tables are only here: the service uses SQL.

-- What the bot remembers.
CREATE SCHEMA bot;
CREATE TYPE bot.admission AS ENUM ('requested', 'allowed', 'refused', 'blocked');
CREATE TYPE bot.asked_for AS ENUM ('access', 'limit');
CREATE TYPE bot.answer_format AS ENUM ('auto', 'plain', 'rich');
CREATE TYPE bot.charge_kind AS ENUM ('answer', 'retry', 'video', 'image', 'sound', 'summary');
CREATE TYPE bot.held_reason AS ENUM ('late', 'conversation_too_long', 'edited', 'price');
CREATE TYPE bot.limit_period AS ENUM ('day', 'week', 'month', 'all');
CREATE TYPE bot.media_kind AS ENUM ('video', 'image', 'sound');
CREATE TYPE bot.message_role AS ENUM ('system', 'user', 'assistant');
CREATE TYPE bot.order_state AS ENUM ('draft', 'placed', 'submitted', 'generating', 'ready', 'delivered', 'failed', 'cancelled', 'waiting');
CREATE TYPE bot.request_decision AS ENUM ('allowed', 'refused', 'blocked', 'half', 'double');
CREATE TYPE bot.ticket_purpose AS ENUM ('sign_in', 'download');
CREATE TYPE bot.turn_kind AS ENUM ('answer', 'summary');
CREATE TYPE bot.turn_state AS ENUM ('streaming', 'finished', 'stopped', 'failed', 'interrupted', 'held', 'declined', 'waiting');
CREATE TYPE bot.unseen_kind AS ENUM ('photo', 'video', 'animation', 'audio', 'voice', 'video_note', 'sticker', 'file');
CREATE TYPE bot.user_role AS ENUM ('admin', 'viewer');

CREATE TABLE bot."user" (
    id bigint NOT NULL,
    first_name text NOT NULL,
    username text,
    language_code text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    default_model text,
    language text,
    admission bot.admission,
    role bot.user_role,
    is_role_untold boolean DEFAULT false NOT NULL,
    seen_at timestamptz(3),
    cost_note text,
    media_settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT user_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.conversation (
    id bigserial NOT NULL,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    model text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    entered_at timestamptz(6) DEFAULT clock_timestamp() NOT NULL,
    names_topic boolean DEFAULT false NOT NULL,
    summary_offered_tokens integer,
    is_first boolean DEFAULT false NOT NULL,
    CONSTRAINT conversation_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.turn (
    id bigserial NOT NULL,
    conversation_id bigint NOT NULL REFERENCES bot.conversation ON UPDATE CASCADE ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES bot."user" ON UPDATE CASCADE ON DELETE RESTRICT,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    prompt_message_id integer NOT NULL,
    model text NOT NULL,
    state bot.turn_state DEFAULT 'streaming'::bot.turn_state NOT NULL,
    message_ids integer[],
    shown_text text DEFAULT ''::text NOT NULL,
    error_code text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamptz(3),
    attempt integer DEFAULT 1 NOT NULL,
    replaces_id bigint,
    sent_at timestamptz(3),
    held_reason bot.held_reason,
    stop_requested_at timestamptz(3),
    set_aside_at timestamptz(3),
    next_cost_micro_rub bigint,
    sending_since timestamptz(3),
    lease_owner integer,
    requests integer DEFAULT 0 NOT NULL,
    request_micro_rub bigint,
    held_micro_rub bigint,
    asked_at timestamptz(3),
    limit_reached jsonb,
    unseen bot.unseen_kind,
    file_ids text[] DEFAULT ARRAY[]::text[],
    asks_price boolean DEFAULT false NOT NULL,
    kind bot.turn_kind DEFAULT 'answer'::bot.turn_kind NOT NULL,
    summary_id bigint,
    origin_key text,
    maybe_double_ids integer[] DEFAULT ARRAY[]::integer[],
    format bot.answer_format DEFAULT 'auto'::bot.answer_format NOT NULL,
    CONSTRAINT turn_pkey PRIMARY KEY (id)
);

CREATE TABLE bot."order" (
    id bigserial NOT NULL,
    user_id bigint NOT NULL REFERENCES bot."user" ON UPDATE CASCADE ON DELETE RESTRICT,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    reply_to_message_id integer NOT NULL,
    status_message_id integer,
    result_message_id integer,
    params jsonb NOT NULL,
    label text NOT NULL,
    price_micro_rub bigint,
    held_micro_rub bigint,
    idempotency_key uuid NOT NULL,
    state bot.order_state DEFAULT 'placed'::bot.order_state NOT NULL,
    task_id integer,
    error_code integer,
    error_message text,
    lease_owner integer,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamptz(3),
    kind bot.media_kind NOT NULL,
    origin_key text NOT NULL,
    result_urls text[] DEFAULT ARRAY[]::text[],
    generating_at timestamptz(3),
    delivered_files jsonb DEFAULT '[]'::jsonb NOT NULL,
    parked_at timestamptz(3),
    failed_deliveries integer DEFAULT 0 NOT NULL,
    sending_since timestamptz(3),
    picture_hash bytea,
    expects_callback boolean DEFAULT false NOT NULL,
    called_back jsonb,
    submitted_at timestamptz(3),
    draft jsonb,
    CONSTRAINT order_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.alert (
    name text NOT NULL,
    told_at timestamptz(3) NOT NULL,
    CONSTRAINT alert_pkey PRIMARY KEY (name)
);

CREATE TABLE bot.balance_reading (
    id bigserial NOT NULL,
    read_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    balance_micro_rub bigint NOT NULL,
    charged_micro_rub bigint NOT NULL,
    CONSTRAINT balance_reading_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.change (
    id bigserial NOT NULL,
    admin_id bigint NOT NULL,
    what text NOT NULL,
    subject_id bigint,
    before text,
    after text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT change_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.charge (
    id bigserial NOT NULL,
    user_id bigint NOT NULL REFERENCES bot."user" ON UPDATE CASCADE ON DELETE RESTRICT,
    turn_id bigint REFERENCES bot.turn ON UPDATE CASCADE ON DELETE SET NULL,
    order_id bigint REFERENCES bot."order" ON UPDATE CASCADE ON DELETE SET NULL,
    amount_micro_rub bigint NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    item text NOT NULL,
    prompt_tokens integer,
    completion_tokens integer,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    kind bot.charge_kind NOT NULL,
    chat_id bigint NOT NULL,
    request integer,
    history_tokens integer,
    prompt_price_micro_rub bigint,
    completion_price_micro_rub bigint,
    reversal_of bigint REFERENCES bot.charge ON UPDATE CASCADE ON DELETE SET NULL,
    written_off boolean DEFAULT false NOT NULL,
    request_id text,
    task_id integer,
    day date NOT NULL,
    history_messages integer,
    -- What the service may have kept for a request beyond the amount that its user pays.
    written_off_micro_rub bigint DEFAULT 0 NOT NULL,
    CONSTRAINT charge_history_is_of_prompt CHECK ((history_tokens <= prompt_tokens)),
    CONSTRAINT charge_signed CHECK (CASE
        WHEN (reversal_of IS NULL) THEN ((amount_micro_rub >= 0) AND (NOT written_off))
        ELSE (amount_micro_rub <= 0)
    END),
    CONSTRAINT charge_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.chat (
    id bigint NOT NULL,
    hinted_at timestamptz(3),
    album_id text,
    format bot.answer_format,
    CONSTRAINT chat_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.dashboard_session (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    began_at timestamptz(3) NOT NULL,
    used_at timestamptz(3) NOT NULL,
    CONSTRAINT dashboard_session_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE bot.dashboard_ticket (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    purpose bot.ticket_purpose NOT NULL,
    request jsonb,
    expires_at timestamptz(3) NOT NULL,
    used_at timestamptz(3),
    CONSTRAINT dashboard_ticket_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE bot.message (
    id bigserial NOT NULL,
    conversation_id bigint NOT NULL REFERENCES bot.conversation ON UPDATE CASCADE ON DELETE CASCADE,
    turn_id bigint REFERENCES bot.turn ON UPDATE CASCADE ON DELETE SET NULL,
    role bot.message_role NOT NULL,
    content text NOT NULL,
    model text,
    prompt_tokens integer,
    completion_tokens integer,
    cost_micro_rub bigint,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    author_id bigint,
    CONSTRAINT message_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.notice (
    id bigserial NOT NULL,
    payload jsonb NOT NULL,
    CONSTRAINT notice_pkey PRIMARY KEY (id)
);

CREATE TABLE bot.picture (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    file_id text NOT NULL,
    content_type text NOT NULL,
    bytes bytea,
    kept_until timestamptz(3) NOT NULL,
    CONSTRAINT picture_pkey PRIMARY KEY (token_hash)
);
-- Pictures are compressed already.
ALTER TABLE bot.picture ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE bot.request (
    kind bot.asked_for NOT NULL,
    subject_id bigint NOT NULL,
    period bot.limit_period NOT NULL,
    user_id bigint NOT NULL REFERENCES bot."user" ON UPDATE CASCADE ON DELETE CASCADE,
    chat_id bigint NOT NULL,
    thread_id integer DEFAULT 0 NOT NULL,
    message_id integer DEFAULT 0 NOT NULL,
    turn_id bigint,
    amount_micro_rub bigint DEFAULT 0 NOT NULL,
    spent_micro_rub bigint DEFAULT 0 NOT NULL,
    needed_micro_rub bigint,
    asked_at timestamptz(3) NOT NULL,
    decision bot.request_decision,
    decided_by_id bigint,
    decided_at timestamptz(3),
    told_at timestamptz(3),
    copies jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT request_pkey PRIMARY KEY (kind, subject_id, period)
);

CREATE TABLE bot.setting (
    name text NOT NULL,
    value text NOT NULL,
    CONSTRAINT setting_pkey PRIMARY KEY (name)
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
    history_micro_rub bigint NOT NULL,
    CONSTRAINT spend_day_pkey PRIMARY KEY (user_id, chat_id, day, kind, item)
);

CREATE TABLE bot.spend_limit (
    subject_id bigint NOT NULL,
    period bot.limit_period NOT NULL,
    amount_micro_rub bigint,
    set_by bigint NOT NULL,
    set_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT spend_limit_not_negative CHECK ((amount_micro_rub >= 0)),
    CONSTRAINT spend_limit_pkey PRIMARY KEY (subject_id, period)
);

CREATE TABLE bot.update (
    id bigint NOT NULL,
    payload jsonb,
    thread_key text,
    sent_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    received_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    handled_at timestamptz(3),
    CONSTRAINT update_pkey PRIMARY KEY (id)
);

-- The service's accounts, ledger, tasks and callbacks.
CREATE SCHEMA service;
-- `frozen`: spends nothing, reads on. `closed`: no key opens it, for good.
CREATE TYPE service.account_state AS ENUM ('open', 'frozen', 'closed');
-- `delivered`: a receiver answered 2xx. `failed`: three attempts were made in vain. An operator may have either
-- sent again.
CREATE TYPE service.callback_state AS ENUM ('pending', 'delivered', 'failed');
-- `settled`: corrected to real usage. `released`: refunded in full. `captured`: the estimate stays charged.
CREATE TYPE service.request_end AS ENUM ('settled', 'released', 'captured');
-- Why a request ended as it did.
CREATE TYPE service.end_reason AS ENUM (
    'usage',        -- by the usage that the provider reported
    'counted',      -- it reported none: the tokens were counted here
    'disbelieved',  -- its usage cannot be true
    'broken',       -- the answer broke off after its first output
    'left',         -- the client left
    'failed',       -- there was no answer
    'withdrawn',    -- refused: the hold may not have been taken
    'taken_over'    -- the process ended before the request did: a guess that the real end may replace
);
-- Requests of the last minute: ascending instants in milliseconds since 1970, and how many were accepted up to each.
CREATE TYPE service.rate_window AS (instants bigint[], totals bigint[]);
CREATE TYPE service.task_status AS ENUM ('waiting', 'queuing', 'generating', 'success', 'fail');

CREATE FUNCTION service.refuse_adjustment_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'adjustments are never changed or deleted';
END $$;

CREATE FUNCTION service.refuse_task_step_back() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'task % cannot go from % to %', OLD."id", OLD."status", NEW."status";
END $$;

-- An instant counts for a minute. One that is ahead by more than a minute is from before the clock was set back. The
-- total of the last instant that has left the window is the base of the others, and stays.
CREATE FUNCTION service.window_used(past service.rate_window, now_ms bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE((past).totals[width_bucket(now_ms + 60000, (past).instants)], 0)
         - COALESCE((past).totals[width_bucket(now_ms - 60000, (past).instants)], 0);

-- Above a hundred instants, requests of a hundredth of a minute share the latest of them, so that the row stays small.
CREATE FUNCTION service.window_add(past service.rate_window, now_ms bigint, requests bigint) RETURNS service.rate_window
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    size integer := COALESCE(width_bucket(now_ms + 60000, past.instants), 0);
    gone integer := COALESCE(width_bucket(now_ms - 60000, past.instants), 0);
    last bigint := past.instants[size];
    total bigint := COALESCE(past.totals[size], 0) + requests;
BEGIN
    now_ms := GREATEST(now_ms, last);
    IF last = now_ms OR size - gone >= 100 AND now_ms - last < 600 THEN
        size := size - 1;
    END IF;
    gone := GREATEST(gone, 1);
    RETURN ROW(past.instants[gone:size] || now_ms, past.totals[gone:size] || total)::service.rate_window;
END $$;

-- Who calls the service. The balance is what its adjustments, requests, tasks and folded days come to.
CREATE TABLE service.account (
    id serial NOT NULL,
    name text NOT NULL,
    balance_micro_rub bigint DEFAULT 0 NOT NULL,
    callback_secret text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    state service.account_state DEFAULT 'open'::service.account_state NOT NULL,
    -- The keys with a spend limit or a rate: their requests take the account's row and then the key's.
    limited_keys text[] DEFAULT '{}' NOT NULL,
    chat_window service.rate_window,
    video_window service.rate_window,
    image_window service.rate_window,
    sound_window service.rate_window,
    secret_window service.rate_window,
    -- How many the account may make in a minute; null for as many as every account.
    chat_max integer,
    video_max integer,
    image_max integer,
    sound_max integer,
    CONSTRAINT account_limits_positive CHECK (LEAST(chat_max, video_max, image_max, sound_max) > 0),
    CONSTRAINT account_pkey PRIMARY KEY (id)
) WITH (fillfactor = 50);

-- A bearer key, stored as the hash of its secret part.
CREATE TABLE service.api_key (
    public_id text NOT NULL,
    account_id integer NOT NULL REFERENCES service.account ON UPDATE CASCADE ON DELETE RESTRICT,
    secret_hash bytea NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    revoked_at timestamptz(3),
    name text,
    -- From then on it opens nothing; null for never.
    expires_at timestamptz(3),
    -- What `spent_micro_rub` may reach by holds and charges; null for as much as the account has.
    spend_limit_micro_rub bigint,
    -- What the key's requests and tasks cost, open ones what is held. Only a key with a limit has it.
    spent_micro_rub bigint DEFAULT 0 NOT NULL,
    -- What it may use, chats and generation alike; null, not empty, for all.
    models text[],
    -- How many chats it may ask for in a minute, beside what its account may; null for as many as that.
    requests_per_minute integer,
    chat_window service.rate_window,
    CONSTRAINT api_key_models_not_empty CHECK ((cardinality(models) > 0)),
    CONSTRAINT api_key_spend_limit_not_negative CHECK ((spend_limit_micro_rub >= 0)),
    CONSTRAINT api_key_pkey PRIMARY KEY (public_id)
);

-- One generation. It moves forward only and never leaves `success` or `fail`.
CREATE TABLE service.task (
    id serial NOT NULL,
    account_id integer NOT NULL REFERENCES service.account ON UPDATE CASCADE ON DELETE RESTRICT,
    -- The creation endpoint's path below the version, such as `videos/vidgen-generate`.
    endpoint text NOT NULL,
    params jsonb NOT NULL,
    label text NOT NULL,
    price_micro_rub bigint NOT NULL,
    status service.task_status DEFAULT 'waiting'::service.task_status NOT NULL,
    -- What the provider needs to recognise its own work after a restart.
    operation jsonb,
    -- Names of the stored results, below `/files/`.
    files text[],
    error_code integer,
    error_message text,
    idempotency_key text,
    -- The process that drives the provider (`src/platform/database/instance/instance.ts`).
    lease_owner integer,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamptz(3),
    -- When its owner was last told how it stands.
    polled_at timestamptz(6),
    -- Where the task's end is told; null where nobody asked, or the endpoint delivers no callbacks.
    callback_url text,
    -- When it is looked at next; null once it has ended (`src/platform/database/due-rows.ts`).
    due_at timestamptz(6),
    failed_visits integer DEFAULT 0 NOT NULL,
    -- When it was first looked at: its provider is tried for the beginning of the work from then on.
    first_visit_at timestamptz(3),
    -- When its files were removed, because an operator's setting keeps them for no longer.
    media_removed_at timestamptz(3),
    -- Public id of the API key it was created with.
    key_id text,
    -- The name, without its ending, that a result is stored under: made before the work begins, so that another process
    -- finds what the provider gave only once. Null before the first visit.
    result_stem text,
    CONSTRAINT task_due_until_ended CHECK (((due_at IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT task_ended_when_terminal CHECK (((status = ANY (ARRAY['success'::service.task_status, 'fail'::service.task_status])) = (ended_at IS NOT NULL))),
    CONSTRAINT task_fail_has_error CHECK (((status = 'fail'::service.task_status) = (error_code IS NOT NULL))),
    CONSTRAINT task_pkey PRIMARY KEY (id)
);

-- The notification of a task's end, to be sent to the task's callback URL.
CREATE TABLE service.callback (
    task_id integer NOT NULL REFERENCES service.task ON UPDATE CASCADE ON DELETE CASCADE,
    -- What is sent, to the byte, in each attempt.
    body bytea NOT NULL,
    state service.callback_state DEFAULT 'pending'::service.callback_state NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamptz(3),
    -- When the next attempt is due; null once it has ended (`src/platform/database/due-rows.ts`).
    due_at timestamptz(6),
    failed_visits integer DEFAULT 0 NOT NULL,
    -- The process that makes an attempt (`src/platform/database/instance/instance.ts`).
    lease_owner integer,
    -- When an operator last had it sent again: its three attempts are timed from then.
    sent_again_at timestamptz(3),
    -- How many attempts were begun since the task's end, or since it is sent again: three at most.
    tries integer DEFAULT 0 NOT NULL,
    -- All attempts, the oldest first, each written down before anything is sent: `number`, `startedAt`, `endedAt`, and
    -- the receiver's `status`, or as `failure` the reason why there was none.
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT callback_due_until_ended CHECK (((due_at IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT callback_ended_once_not_pending CHECK (((state = 'pending'::service.callback_state) = (ended_at IS NULL))),
    CONSTRAINT callback_pkey PRIMARY KEY (task_id)
);

-- A credit or debit by an operator, never changed and never deleted.
CREATE TABLE service.adjustment (
    id serial NOT NULL,
    account_id integer NOT NULL,
    -- Signed: what the balance changed by.
    amount_micro_rub bigint NOT NULL,
    created_at timestamptz(6) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    note text,
    -- The adjustment's own name, such as a payment's number. No other has it.
    reference text,
    CONSTRAINT adjustment_amount_not_zero CHECK (amount_micro_rub <> 0),
    CONSTRAINT adjustment_pkey PRIMARY KEY (id)
);

-- The prices of a model, a row for each change of them.
CREATE TABLE service.price (
    id serial NOT NULL,
    model text NOT NULL,
    -- Millionths of a rouble for a million tokens (`src/service/ledger/price-tokens.ts`), and the rate of the dollar.
    terms jsonb NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT price_pkey PRIMARY KEY (id),
    CONSTRAINT price_terms_key UNIQUE (model, terms)
);

-- One chat request: hold, charge and entry. It ends once; only an end that was guessed at take-over is replaced, once.
CREATE TABLE service.request (
    account_id integer NOT NULL,
    -- A UUID v7, made before anything is sent.
    id uuid NOT NULL,
    -- Public id of the API key it came with.
    key_id text NOT NULL,
    model text NOT NULL,
    price_id integer,
    -- What was taken before the provider was called.
    held_micro_rub bigint NOT NULL,
    -- The process that answers (`src/platform/database/instance/instance.ts`).
    lease_owner integer NOT NULL,
    -- What it cost; null while it is open.
    cost_micro_rub bigint,
    -- What the provider says that the answer costs, in roubles at the rate of that time.
    reported_cost_micro_rub bigint,
    prompt_tokens integer,
    cached_tokens integer,
    cache_write_tokens integer,
    completion_tokens integer,
    reasoning_tokens integer,
    -- Which of the model's upstreams answered.
    upstream text,
    -- The customer's key of a plain chat, a hash of what was asked, and the JSON that was answered.
    idempotency_key text,
    request_hash text,
    answer bytea,
    created_at timestamptz(6) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    -- Committed before the first byte of the answer goes out: the crash rule depends on it.
    output_at timestamptz(3),
    ended_at timestamptz(3),
    end_state service.request_end,
    end_reason service.end_reason,
    -- Another process ended the request of one that it took for dead.
    taken_over_at timestamptz(3),
    CONSTRAINT request_held_not_negative CHECK (held_micro_rub >= 0),
    CONSTRAINT request_ended_with_cost CHECK (num_nulls(ended_at, end_state, end_reason, cost_micro_rub) IN (0, 4)),
    CONSTRAINT request_cost_fits_end CHECK (
        CASE end_state WHEN 'released' THEN cost_micro_rub = 0 WHEN 'captured' THEN cost_micro_rub = held_micro_rub
        ELSE cost_micro_rub >= 0 END),
    CONSTRAINT request_pkey PRIMARY KEY (account_id, id)
) WITH (fillfactor = 85);

-- Requests that retention has deleted, by the day in UTC on which they began.
CREATE TABLE service.day_sum (
    account_id integer NOT NULL,
    day date NOT NULL,
    model text NOT NULL,
    key_id text NOT NULL,
    requests integer NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_micro_rub bigint NOT NULL,
    reported_cost_micro_rub bigint,
    -- The part of the cost that a report stands beside.
    compared_micro_rub bigint NOT NULL,
    CONSTRAINT day_sum_pkey PRIMARY KEY (account_id, day, model, key_id)
);

-- When the ledger is checked next, and what the last check found: its one row has the id 1.
CREATE TABLE service.ledger_check (
    id integer DEFAULT 1 NOT NULL,
    due_at timestamptz(6) DEFAULT now(),
    failed_visits integer DEFAULT 0 NOT NULL,
    -- The process that checks it (`src/platform/database/instance/instance.ts`).
    lease_owner integer,
    -- Null before the first check.
    checked_at timestamptz(3),
    faults integer,
    CONSTRAINT ledger_check_is_one_row CHECK ((id = 1)),
    CONSTRAINT ledger_check_pkey PRIMARY KEY (id)
);

-- When charges are compared with reported costs next, and the prices that count: its one row has the id 1.
CREATE TABLE service.price_watch (
    id integer DEFAULT 1 NOT NULL,
    due_at timestamptz(6) DEFAULT now(),
    failed_visits integer DEFAULT 0 NOT NULL,
    -- The process that compares (`src/platform/database/instance/instance.ts`).
    lease_owner integer,
    -- The upstream whose prices these are; null before they are known, and where a file says what is sold.
    base_url text,
    -- By the model's id: `KnownPrices` (`src/service/config/openai/judge-prices.ts`).
    prices jsonb,
    asked_at timestamptz(3),
    CONSTRAINT price_watch_is_one_row CHECK ((id = 1)),
    CONSTRAINT price_watch_pkey PRIMARY KEY (id)
);

-- What is kept only for so long, where an operator's setting says how long: `requests`, `media`.
CREATE TABLE service.retention (
    id integer NOT NULL,
    kind text NOT NULL,
    -- When what is too old is deleted next (`src/platform/database/due-rows.ts`).
    due_at timestamptz(6),
    failed_visits integer DEFAULT 0 NOT NULL,
    -- The process that deletes it (`src/platform/database/instance/instance.ts`).
    lease_owner integer,
    CONSTRAINT retention_pkey PRIMARY KEY (id)
);

-- The processes on this database.

CREATE TABLE public.instance (
    id serial NOT NULL,
    name text,
    works text[] NOT NULL,
    leads boolean DEFAULT false NOT NULL,
    hands_over boolean DEFAULT false NOT NULL,
    beat_at timestamptz(6) DEFAULT now() NOT NULL,
    CONSTRAINT instance_pkey PRIMARY KEY (id)
);

-- Everything that moved an account's balance, as it stands now. An open request costs its hold, a failed task nothing.
CREATE VIEW service.movement AS
    SELECT account_id, CASE WHEN amount_micro_rub > 0 THEN 'credit ' ELSE 'debit ' END || id AS id, created_at,
           NULL::date AS folded_day, CASE WHEN amount_micro_rub > 0 THEN 'credit' ELSE 'debit' END AS kind,
           NULL::text AS state, amount_micro_rub, NULL::text AS key_id,
           NULL::text AS model, 0 AS requests, NULL::bigint AS prompt_tokens, NULL::bigint AS completion_tokens,
           NULL::bigint AS reported_cost_micro_rub, NULL::bigint AS compared_micro_rub, note, reference
    FROM service.adjustment
    UNION ALL
    SELECT account_id, id::text, created_at, NULL, 'request', COALESCE(end_state::text, 'held'), -cost, key_id,
           model, 1, prompt_tokens::bigint, completion_tokens::bigint, reported_cost_micro_rub,
           CASE WHEN reported_cost_micro_rub IS NOT NULL THEN cost END, NULL, NULL
    FROM service.request CROSS JOIN LATERAL (SELECT COALESCE(cost_micro_rub, held_micro_rub) AS cost) AS charged
    UNION ALL
    -- A price label begins with the model's name.
    SELECT account_id, 'task ' || id, created_at, NULL, 'task', CASE status WHEN 'fail' THEN 'refunded' ELSE 'charged' END,
           -cost, key_id, split_part(label, '-', 1), 1, NULL, NULL, NULL, NULL, NULL, NULL
    FROM service.task CROSS JOIN LATERAL (
        SELECT CASE status WHEN 'fail' THEN 0 ELSE price_micro_rub END AS cost) AS charged
    UNION ALL
    SELECT account_id, concat_ws(' ', 'day', day, model, key_id), day::timestamp AT TIME ZONE 'UTC', day, 'day', 'folded',
           -cost_micro_rub, key_id, model, requests, prompt_tokens, completion_tokens,
           reported_cost_micro_rub, compared_micro_rub, requests || ' requests', NULL
    FROM service.day_sum;

-- A row where a balance, or what counts towards a key's limit, is not what its movements come to.
CREATE VIEW service.ledger_fault AS
    SELECT id AS account_id, 'balance' AS rule, NULL::text AS subject,
           COALESCE(moved.amount, 0)::bigint AS wanted_micro_rub, balance_micro_rub AS found_micro_rub
    FROM service.account
    LEFT JOIN (
        SELECT account_id, sum(amount_micro_rub) AS amount FROM service.movement GROUP BY account_id
    ) AS moved ON moved.account_id = id
    WHERE balance_micro_rub <> COALESCE(moved.amount, 0)
    UNION ALL
    SELECT account_id, 'key', public_id, COALESCE(moved.spent, 0)::bigint, spent_micro_rub
    FROM service.api_key
    LEFT JOIN (
        SELECT key_id, -sum(amount_micro_rub) AS spent
        FROM service.movement JOIN service.api_key ON public_id = key_id
        WHERE spend_limit_micro_rub IS NOT NULL GROUP BY key_id
    ) AS moved ON key_id = public_id
    WHERE spend_limit_micro_rub IS NOT NULL AND spent_micro_rub <> COALESCE(moved.spent, 0)
    UNION ALL
    SELECT account_id, 'limited_key', public_id, NULL, NULL
    FROM service.api_key JOIN service.account ON account.id = account_id
    WHERE num_nonnulls(spend_limit_micro_rub, requests_per_minute) > 0 AND public_id <> ALL (limited_keys);

-- Indexes. Those with a WHERE hold the few rows that are looked for, however far the table grows.
CREATE INDEX change_created_at_idx ON bot.change (created_at);
CREATE INDEX change_subject_id_id_idx ON bot.change (subject_id, id);
CREATE INDEX charge_chat_id_idx ON bot.charge (chat_id);
CREATE INDEX charge_created_at_idx ON bot.charge (created_at);
CREATE INDEX charge_day_id_idx ON bot.charge (day, id);
CREATE UNIQUE INDEX charge_of_order ON bot.charge (order_id) WHERE (reversal_of IS NULL);
CREATE UNIQUE INDEX charge_of_request ON bot.charge (turn_id, request) WHERE (reversal_of IS NULL);
CREATE INDEX charge_order_id_idx ON bot.charge (order_id);
CREATE UNIQUE INDEX charge_reversal_of_key ON bot.charge (reversal_of);
CREATE INDEX charge_turn_id_idx ON bot.charge (turn_id);
CREATE INDEX charge_user_id_created_at_idx ON bot.charge (user_id, created_at);
CREATE INDEX conversation_chat_id_thread_id_entered_at_id_idx ON bot.conversation (chat_id, thread_id, entered_at, id);
CREATE UNIQUE INDEX conversation_first_key ON bot.conversation (chat_id, thread_id) WHERE is_first;
CREATE INDEX dashboard_session_user_id_idx ON bot.dashboard_session (user_id);
CREATE INDEX dashboard_ticket_expires_at_idx ON bot.dashboard_ticket (expires_at);
CREATE INDEX message_conversation_id_id_idx ON bot.message (conversation_id, id);
CREATE UNIQUE INDEX message_turn_id_role_key ON bot.message (turn_id, role);
CREATE INDEX order_draft_idx ON bot."order" (chat_id, status_message_id) WHERE (state = 'draft'::bot.order_state);
CREATE INDEX order_ended_at_idx ON bot."order" (ended_at);
CREATE UNIQUE INDEX order_idempotency_key_key ON bot."order" (idempotency_key);
CREATE UNIQUE INDEX order_origin_key_key ON bot."order" (origin_key);
CREATE INDEX order_held_idx ON bot."order" (user_id, chat_id) INCLUDE (held_micro_rub) WHERE (held_micro_rub IS NOT NULL);
CREATE INDEX order_picture_hash_idx ON bot."order" (picture_hash) WHERE (picture_hash IS NOT NULL);
CREATE INDEX order_ready_idx ON bot."order" (chat_id) WHERE (state = 'ready'::bot.order_state);
CREATE INDEX order_submitted_at_idx ON bot."order" (submitted_at) WHERE (submitted_at IS NOT NULL);
CREATE INDEX order_unpriced_idx ON bot."order" (label) WHERE (price_micro_rub IS NULL);
CREATE INDEX order_user_id_id_idx ON bot."order" (user_id, id);
CREATE INDEX order_user_under_way_idx ON bot."order" (user_id) WHERE (ended_at IS NULL);
CREATE INDEX picture_kept_until_idx ON bot.picture (kept_until) WHERE (bytes IS NOT NULL);
CREATE INDEX picture_user_id_idx ON bot.picture (user_id);
CREATE INDEX request_user_id_idx ON bot.request (user_id);
CREATE INDEX spend_day_chat_id_day_idx ON bot.spend_day (chat_id, day);
CREATE INDEX spend_day_day_idx ON bot.spend_day (day);
CREATE INDEX turn_asked_at_idx ON bot.turn (asked_at) WHERE (asked_at IS NOT NULL);
CREATE UNIQUE INDEX turn_chat_id_prompt_message_id_attempt_key ON bot.turn (chat_id, prompt_message_id, attempt);
CREATE INDEX turn_chat_id_thread_id_id_idx ON bot.turn (chat_id, thread_id, id);
CREATE INDEX turn_conversation_id_id_idx ON bot.turn (conversation_id, id);
CREATE INDEX turn_created_at_idx ON bot.turn (created_at);
CREATE INDEX turn_held_idx ON bot.turn (user_id, chat_id) INCLUDE (held_micro_rub) WHERE (held_micro_rub IS NOT NULL);
CREATE UNIQUE INDEX turn_origin_key_key ON bot.turn (origin_key);
CREATE UNIQUE INDEX turn_replaces_id_key ON bot.turn (replaces_id);
CREATE INDEX turn_uncharged_idx ON bot.turn (id) WHERE (ended_at IS NOT NULL AND lease_owner IS NOT NULL);
CREATE INDEX turn_unended_idx ON bot.turn (chat_id, thread_id) WHERE (ended_at IS NULL);
CREATE INDEX turn_user_unended_idx ON bot.turn (user_id) WHERE (ended_at IS NULL);
CREATE INDEX update_parts_idx ON bot.update (thread_key) WHERE (payload ? 'parts'::text);
CREATE INDEX update_received_at_idx ON bot.update (received_at);
CREATE INDEX update_thread_key_received_at_idx ON bot.update (thread_key, received_at);
CREATE INDEX update_unhandled_idx ON bot.update (sent_at, id) WHERE (handled_at IS NULL);
CREATE INDEX user_lower_username_idx ON bot."user" (lower(username));
CREATE INDEX user_role_idx ON bot."user" (role) WHERE (role IS NOT NULL);
CREATE INDEX user_seen_at_idx ON bot."user" (seen_at DESC NULLS LAST, id);
CREATE UNIQUE INDEX instance_leads_key ON public.instance (leads) WHERE leads;
CREATE UNIQUE INDEX instance_name_key ON public.instance (name);
CREATE UNIQUE INDEX account_name_key ON service.account (name);
CREATE INDEX api_key_account_id_idx ON service.api_key (account_id);
CREATE INDEX callback_due_idx ON service.callback (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX adjustment_account_id_idx ON service.adjustment (account_id);
CREATE UNIQUE INDEX adjustment_reference_key ON service.adjustment (reference) WHERE (reference IS NOT NULL);
CREATE UNIQUE INDEX request_idempotency_key ON service.request (account_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX request_open_idx ON service.request (lease_owner) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX retention_kind_key ON service.retention (kind);
CREATE INDEX task_account_id_created_at_idx ON service.task (account_id, created_at);
CREATE UNIQUE INDEX task_account_id_idempotency_key_key ON service.task (account_id, idempotency_key);
CREATE INDEX task_due_idx ON service.task (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX task_status_idx ON service.task (status) INCLUDE (price_micro_rub);
CREATE INDEX task_media_idx ON service.task (ended_at) WHERE ((status = 'success'::service.task_status) AND (media_removed_at IS NULL));

-- Triggers: adjustments never change; a task never goes back.
CREATE TRIGGER adjustment_is_immutable
    BEFORE DELETE OR UPDATE ON service.adjustment FOR EACH ROW
    EXECUTE FUNCTION service.refuse_adjustment_change();
CREATE TRIGGER task_moves_forward
    BEFORE UPDATE ON service.task FOR EACH ROW WHEN (((new.status < old.status) OR ((old.status = ANY (ARRAY['success'::service.task_status, 'fail'::service.task_status])) AND (new.status <> old.status))))
    EXECUTE FUNCTION service.refuse_task_step_back();

-- The rows that are there from the beginning.
INSERT INTO service.retention (id, kind, due_at) VALUES
    (1, 'requests', now()),
    (2, 'media', now());
INSERT INTO service.ledger_check DEFAULT VALUES;
INSERT INTO service.price_watch DEFAULT VALUES;
