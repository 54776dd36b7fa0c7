/**
 * The types of every request and answer between the page at `/admin` and its server, used by both and importing
 * neither. It is one file of more than 300 lines because a page imports one file of its server.
 *
 * `npm run pages` builds the page into `build/admin/`, with relative addresses: it is served as `/admin/`, what
 * has a hash in its name as `/admin/assets/…`, and a link from `/dashboard` opens `/admin/#link=TOKEN`.
 *
 * Every path below is under `/admin/api`. A session is a bearer token (`Authorization: Bearer …`), so the
 * live figures are read by `fetch`, not by `EventSource`, which sends no header. Bodies are JSON. A refusal
 * is `RefusalAnswer` with 400 (no sense), 401 (no session, or it ended: sign in again), 403 (a viewer, or an
 * origin that is not ours), 404, 409 (changed meanwhile), 429 (`Retry-After`) or 503 (`Retry-After`).
 *
 * A route answers an `…Answer`, takes a `…Body`, and its stream has `…Event`s. What these are made of is `Wire…`:
 * the server's own value of that name as it travels. A word without any of these, such as `Role` or `ReportSpan`,
 * means the same to the server and to the page.
 */

/** Millionths of a rouble as a whole number in text, such as `"1250000"` or `"-40"`: never a float. */
export type MicroRub = string

/** A day by TIME_ZONE, such as `"2026-11-22"`. */
export type Day = string

/** An instant in ISO 8601, UTC. */
export type Instant = string

/** The bot's languages, as in locales/texts.ts; the page has words in each. */
export type Language = 'en' | 'ru'

export type Role = 'admin' | 'viewer'

/** The kinds of charges, in the database's words. */
export const CHARGE_KINDS = ['answer', 'retry', 'summary', 'video', 'image', 'sound'] as const
export type ChargeKind = (typeof CHARGE_KINDS)[number]

/**
 * The time that a report covers, as in spend/reports/span.ts: today, the last 7 or 30 days with today, this month,
 * all time.
 */
export const SPANS = ['today', '7d', '30d', 'month', 'all'] as const
export type ReportSpan = (typeof SPANS)[number]

/** The period of a limit: a day, a week from Monday, a month, or in all. */
export const LIMIT_PERIODS = ['day', 'week', 'month', 'all'] as const
export type LimitPeriod = (typeof LIMIT_PERIODS)[number]

/** The answer of every refusal. `detail` is English, for people. */
export interface RefusalAnswer {
  detail: string
}

// Sign-in

/** `POST /session`: what Telegram gave the Mini App, or the token of a link from `/dashboard`. */
export type SignInBody = { initData: string } | { link: string }

/** 201; refused with 401 and `SignInRefusalAnswer`. */
export interface SignInAnswer {
  token: string
  me: WireVisitor
}

export interface SignInRefusalAnswer extends RefusalAnswer {
  error: SignInRefusal
}

/** Why somebody was not signed in: the page has a sentence for each. */
export type SignInRefusal =
  | 'link_used'
  | 'link_expired'
  | 'link_unknown'
  | 'init_data_invalid'
  | 'init_data_expired'
  | 'init_data_used'
  /** The user who signed in is neither admin nor viewer. */
  | 'no_role'

/** `GET /session`. `DELETE /session` signs out: 204. */
export interface WireVisitor {
  userId: number
  name: string
  username: string | null
  role: Role
  language: Language | null
  timeZone: string
  endsAt: Instant
}

// Spend

/** The parts of a spend. `amountMicroRub` is the sum; the others are parts of it, but for `writtenOff`. */
export interface WireSpend {
  charges: number
  amountMicroRub: MicroRub
  estimatedMicroRub: MicroRub
  /** The sum that the service keeps and no user pays; not in the amount. */
  writtenOffMicroRub: MicroRub
  historyMicroRub: MicroRub
}

/** The spend by day, kind and model: each list adds up to `sum`, to the micro-rouble. */
export interface WireSpendParts {
  sum: WireSpend
  /** One for each day, also where nothing was spent; of `all`, at most the last 366. */
  byDay: WireDaySpend[]
  byKind: { kind: ChargeKind; spend: WireSpend }[]
  byModel: { model: string; made: WireMade | null; spend: WireSpend }[]
}

/** What a label of a price stands for; null for a chat model, and for a label that the bot does not know. */
export type WireMade =
  | { kind: 'video'; quality: string; seconds: number }
  | { kind: 'image' }
  | { kind: 'sound' }

export interface WireDaySpend {
  day: Day
  amountMicroRub: MicroRub
  byKind: Partial<Record<ChargeKind, MicroRub>>
}

/** `GET /overview?span=&user=&kind=&model=`, all but the span optional: `topUsers` and `rest` add up to `sum`, too. */
export interface OverviewAnswer extends WireSpendParts {
  /** The first day (of all time: the first with a charge, null if there is none) and the last. */
  from: Day | null
  to: Day
  /** The first 20. */
  topUsers: WireUserSpend[]
  rest: { users: number; spend: WireSpend } | null
}

/** A user and their spend. A user who had everything erased has an empty name. */
export interface WireUserSpend {
  user: WireUser
  spend: WireSpend
}

export interface WireUser {
  id: number
  name: string
  username: string | null
}

/**
 * `GET /users?span=&search=&page=`: who spent most comes first. The search is an id, an `@username`, or words of
 * a name, in any case; pages count from 0.
 */
export interface UsersAnswer {
  users: WireUserSpend[]
  page: number
  pageSize: number
  total: number
}

/** `GET /users/:id?span=`. 404 for a user whom the bot does not know. */
export interface UserAnswer extends WireSpendParts {
  user: WireUser
  access: WireAccess
  limits: WireLimit[]
  lastOrders: {
    id: string
    kind: ChargeKind
    item: string
    made: WireMade | null
    status: string
    amountMicroRub: MicroRub | null
    createdAt: Instant
  }[]
}

// Limits

/** The limit of a user, a group or everybody for one period. There is one for each period. */
export interface WireLimit {
  period: LimitPeriod
  amountMicroRub: MicroRub | null
  origin: 'own' | 'default'
  spentMicroRub: MicroRub
  reservedMicroRub: MicroRub
  resetsAt: Instant | null
  isLifted: boolean
}

/** `GET /limits`: those for everybody, the defaults, and whose limits are their own, the latest set first. */
export interface LimitsAnswer {
  /** What everybody together may spend; its subject is -2. `default` is that of BUDGET_RUB. One for each period. */
  everybody: WireLimit[]
  /** The default for every user without an own limit, admins left out; its subject is 0. One for each period. */
  default: { period: LimitPeriod; amountMicroRub: MicroRub | null }[]
  /** The default for every group without an own limit; its subject is -1. */
  groupDefault: LimitsAnswer['default']
  own: {
    /** Negative for a group. */
    subjectId: number
    name: string
    period: LimitPeriod
    amountMicroRub: MicroRub | null
    setBy: WireUser | null
    setAt: Instant
  }[]
}

/**
 * `PUT /limits/:subjectId/:period`: sets a limit of a user, a group, with 0 or -1 a default, with -2 everybody's. 204;
 * 404 for a user or a group whom the bot does not know.
 * `DELETE` takes a limit away, so that for somebody's own the default holds again: 204.
 */
export interface LimitBody {
  /** An amount from 0 to 10^15 (a thousand million roubles); null: no limit, even where there is a default. */
  amountMicroRub: MicroRub | null
}

// Access

/** A user's right to talk to the bot, and to see this page. */
export interface WireAccess {
  role: Role | null
  /** The role stands in the environment, where the page cannot change it. */
  isRoleFixed: boolean
  status: 'insider' | 'outsider' | 'blocked'
  decision: 'requested' | 'allowed' | 'refused' | 'blocked' | null
}

/** `GET /access?search=&page=`: who asks comes first, then the latest decision. */
export interface AccessAnswer {
  users: (WireUser & { access: WireAccess })[]
  page: number
  pageSize: number
  total: number
}

/** `PUT /users/:id/access`: 204. An admin cannot be blocked: 409. */
export interface AccessBody {
  decision: 'allowed' | 'refused' | 'blocked'
}

/** `PUT /users/:id/role`: 204. Null takes it away. Of a role that is fixed: 409. */
export interface RoleBody {
  role: Role | null
}

// Alerts

/** `GET /alerts`, and the whole of it with `PUT /alerts`: 204. */
export interface WireAlerts {
  balanceBelowMicroRub: MicroRub | null
  daysLeftBelow: number | null
  /** Admins are alerted when a user spends so many times their mean day of the last 30; null: no alert. */
  unusualTimes: number | null
  serviceFailures: boolean
  /** The hour of the digest from 0 to 23, by TIME_ZONE; null: no digest. */
  digestHour: number | null
}

// Balance and the check

/**
 * What is left is of: the account at the service, or of what everybody together may spend this month. `nothing`: the
 * operator's own money is spent, without such a limit.
 */
export type LeftOf = 'account' | 'limit' | 'nothing'

/** `GET /balance`. All but `leftOf` is null where the service does not report its balance now. */
export interface BalanceAnswer {
  leftOf: LeftOf
  balanceMicroRub: MicroRub | null
  dayPaceMicroRub: MicroRub | null
  daysLeft: number | null
}

/** `GET /check`: our charges against the balance's movement, and the kept sums against the rows. */
export interface CheckAnswer {
  balance: {
    from: Instant
    to: Instant
    movedMicroRub: MicroRub
    chargedMicroRub: MicroRub
    differenceMicroRub: MicroRub
    mayEvenOut: boolean
  } | null
  sums: {
    isRight: boolean
    /** The largest 100. */
    differences: { what: string; ofSums: MicroRub; ofRows: MicroRub }[]
    rebuildCommand: string
  }
}

// Who changed what

/** `GET /changes?before=`: the latest first. */
export interface ChangesAnswer {
  changes: WireChange[]
  next: string | null
}

export interface WireChange {
  id: string
  at: Instant
  by: WireUser
  /** `access`, `role`, `limit_day` and so on, or `setting:NAME`, such as `setting:alert_days_left_below`. */
  what: string
  subject: WireUser | null
  /**
   * The old and the new value: of a limit, and of a setting whose name ends in `_micro_rub`, micro-roubles or
   * a word (`off`, `none`); null where there was none.
   */
  before: string | null
  after: string | null
}

// Download

/**
 * `POST /downloads`: charges as CSV. The browser, or Telegram (`web_app_request_file_download`), fetches
 * `path`, which is relative to the page, once, within a minute, and needs no session for it. 410 after that.
 */
export interface DownloadBody {
  span: ReportSpan
  user?: number
  kind?: ChargeKind
  model?: string
}

export interface DownloadAnswer {
  path: string
  fileName: string
}

// Live

/**
 * `GET /live`: `text/event-stream`. An event `live` within a second and, after that, when something changed,
 * at most one a second; a comment every 20 s. An event `end` is the last: the session ended, or the role was taken.
 * A stream that ends without it is asked for again. 429: too many are open.
 */
export interface LiveEvent {
  today: WireSpend
  leftOf: LeftOf
  balanceMicroRub: MicroRub | null
  reservedMicroRub: MicroRub
}

/** Data of the event `end`. */
export interface EndEvent {
  reason: 'session_ended' | 'role_changed'
}
