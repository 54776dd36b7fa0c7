import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { Clock } from '../platform/time/clock.ts'
import {
  type Gate,
  gateAfter,
  inTurn,
  nextSlots,
  type RequestKind,
  type RequestOutcome,
  type ServiceLimits,
  type Waiting,
  WINDOW_MS,
} from './rate-limit.ts'
import type { TextVariables } from './texts/texts.ts'

/** Pause after a refusal that states no time. */
const CLOSES_MS = 10_000
/** A wait that is over sooner is not reported. */
const UNREPORTED_MS_MAX = 3_000
/** A burst is taken step by step; a moment later the positions are right. */
const FIRST_MS = 1_000
const INTERVAL_MS = 5_000
/** At most ten messages change in a second, however long the queue. */
const INTERVAL_MS_PER_ENTRY = 100

export class LeftQueueError extends Error {
  override readonly name = 'LeftQueueError'
  readonly code = 'left_queue'

  constructor() {
    super('Cannot ask the service: the entry left the queue')
  }
}

export interface QueuePosition {
  position: number
  waitMs: number
  isAway: boolean
}

export interface JoinOptions {
  /** Called with the position of a wait that takes more than a moment. */
  onPosition: (position: QueuePosition) => void
  /** Called when it has to wait, for the first time or after a refusal. */
  onWaiting?: () => void
}

interface Entry extends Waiting {
  readonly options: JoinOptions
  readonly joinedAt: number
  queuedAt: number
  awayTries: number
  sentAt?: number
  passed: PromiseWithResolvers<void>
  left?: Error
  isWaitReported: boolean
  isPositionReported: boolean
  /** Aborted when it no longer waits. */
  waiting: AbortController
}

interface AwayAnswer {
  retryAfterMs: number | undefined
  /** True if the service may have counted the request. */
  isCounted: boolean
}

export type OpenQueue = (kind: RequestKind, signal: AbortSignal) => ServiceQueue

/** `fill` counts the requests of the last minute, including those of the previous active process. */
export function createQueues(limits: ServiceLimits, clock: Clock) {
  const queues = new Map<RequestKind, ServiceQueue>()
  return { open, fill }

  function open(kind: RequestKind, signal: AbortSignal): ServiceQueue {
    const queue = new ServiceQueue({ limit: limits[kind], clock, signal })
    queues.set(kind, queue)
    return queue
  }

  async function fill(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<void> {
    const asked = await prisma.$queryRaw<{ kind: RequestKind; ageMs: number }[]>`
      SELECT kind, extract(epoch FROM now() - at)::float8 * 1000 AS "ageMs" FROM (
        SELECT 'chat' AS kind, asked_at AS at FROM bot.turn
        UNION ALL SELECT kind::text, submitted_at FROM bot."order"
      ) AS request WHERE at > now() - ${WINDOW_MS}::int * interval '1 ms'`
    for (const { kind, ageMs } of asked) queues.get(kind)?.count(ageMs)
  }
}

/**
 * Delays requests of one kind to the rate limit of the service, fair by user. Only the active process has it.
 * At most `limit` requests go in any 61 s. While the service is away, one request is tried at a time.
 */
export class ServiceQueue {
  readonly #limit: number
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #entries = new Map<bigint, Entry>()
  #gate: Gate = { sentAt: [], closedUntil: 0, isAway: false }
  /** Waiting entries, the next in turn first, and when each may go. */
  #line: readonly Entry[] = []
  #slots: readonly number[] = []
  #isStepDue = false
  #alarm = new AbortController()

  constructor({ limit, clock, signal }: { limit: number; clock: Clock; signal: AbortSignal }) {
    this.#limit = limit
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', () => this.#close(), { once: true })
  }

  /** Counts a request that went before this process became the active one. */
  count(ageMs: number): void {
    const sentAt = [...this.#gate.sentAt, this.#clock.now() - ageMs]
    this.#gate = { ...this.#gate, sentAt }
  }

  join({ id, userId }: Pick<Waiting, 'id' | 'userId'>, options: JoinOptions) {
    const joinedAt = this.#clock.now()
    const entry: Entry = {
      id,
      userId,
      options,
      joinedAt,
      queuedAt: joinedAt,
      awayTries: 0,
      passed: closedGate(),
      isWaitReported: false,
      isPositionReported: false,
      waiting: new AbortController(),
    }
    this.#enter(entry)
    return {
      /**
       * Resolves when the request may go, and after a refusal, when it may go again.
       *
       * @throws {LeftQueueError} If it left without another reason; otherwise that, or the signal's reason.
       */
      letThrough: () => entry.passed.promise,
      accepted: () => this.#settle({ isHeard: true }),
      /** The service refuses all requests for so long; this request regains its earlier position. */
      refused: (closesMs = CLOSES_MS) => {
        const { sentAt } = entry
        entry.queuedAt = sentAt ?? entry.queuedAt
        this.#goBack(entry, { uncountedAt: sentAt, closesMs })
      },
      /** The service is away: this request goes to the end, and others are tried one at a time. */
      away: ({ retryAfterMs, isCounted }: AwayAnswer) => {
        entry.queuedAt = this.#clock.now()
        entry.awayTries += 1
        const uncountedAt = isCounted ? undefined : entry.sentAt
        this.#goBack(entry, { uncountedAt, closesMs: retryAfterMs, isAway: true })
      },
      uncounted: () => this.#settle({ uncountedAt: entry.sentAt }),
      leave: (reason?: Error) => this.#leave(entry, reason),
      position: () => this.#positionOf(entry),
    }
  }

  #enter(entry: Entry): void {
    if (this.#signal.aborted) {
      entry.passed.reject(this.#signal.reason)
      return
    }
    this.#entries.set(entry.id, entry)
    void this.#report(entry)
    this.#wake()
  }

  #goBack(entry: Entry, outcome: RequestOutcome): void {
    entry.passed = closedGate()
    entry.isWaitReported = false
    entry.waiting = new AbortController()
    this.#settle(outcome)
    if (entry.left === undefined) this.#enter(entry)
    else entry.passed.reject(entry.left)
  }

  /** @returns True if it waited. Otherwise the service may have received the request. */
  #leave(entry: Entry, reason: Error = new LeftQueueError()): boolean {
    entry.left = reason
    if (!this.#entries.delete(entry.id)) return false
    entry.waiting.abort()
    entry.passed.reject(reason)
    this.#wake()
    return true
  }

  #settle(outcome: RequestOutcome): void {
    this.#gate = gateAfter(this.#gate, [outcome], this.#clock.now())
    this.#wake()
  }

  /** Entries of the same moment are taken in one step. */
  #wake(): void {
    if (this.#isStepDue) return
    this.#isStepDue = true
    queueMicrotask(() => {
      this.#isStepDue = false
      this.#step()
    })
  }

  #step(): void {
    this.#alarm.abort()
    if (this.#entries.size === 0 || this.#signal.aborted) {
      this.#line = []
      return
    }
    const now = this.#clock.now()
    this.#gate = gateAfter(this.#gate, [], now)
    const line = inTurn([...this.#entries.values()])
    const slots = nextSlots(line.length, this.#gate, { limit: this.#limit, now })
    const count = slots.filter((at) => at <= now).length
    for (const entry of line.slice(0, count)) this.#letThrough(entry, now)
    this.#line = line.slice(count)
    this.#slots = slots.slice(count)
    for (const entry of this.#line) {
      if (!entry.isWaitReported) entry.options.onWaiting?.()
      entry.isWaitReported = true
    }
    const [next] = this.#slots
    if (next === undefined) return
    this.#alarm = new AbortController()
    // The next step aborts the sleep.
    this.#clock.sleep(next - now, this.#alarm.signal).then(
      () => this.#wake(),
      () => {},
    )
  }

  #letThrough(entry: Entry, now: number): void {
    this.#entries.delete(entry.id)
    // The user's other entries go after entries that came just now.
    for (const other of this.#entries.values()) {
      if (other.userId === entry.userId) other.queuedAt = now + 1
    }
    entry.sentAt = now
    entry.waiting.abort()
    this.#gate = { ...this.#gate, sentAt: [...this.#gate.sentAt, now] }
    entry.passed.resolve()
  }

  #positionOf(entry: Entry): QueuePosition | undefined {
    const index = this.#line.indexOf(entry)
    const slotAt = this.#slots[index]
    if (slotAt === undefined || !this.#entries.has(entry.id)) return undefined
    const waitMs = Math.max(0, slotAt - this.#clock.now())
    return { position: index + 1, waitMs, isAway: this.#gate.isAway }
  }

  async #report(entry: Entry): Promise<void> {
    const { signal } = entry.waiting
    for (let pauseMs = FIRST_MS; ; ) {
      // The end of the wait aborts the sleep.
      await this.#clock.sleep(pauseMs, signal).catch(() => {})
      if (signal.aborted) return
      const current = this.#positionOf(entry)
      pauseMs = FIRST_MS
      if (current === undefined) continue
      const wholeMs = this.#clock.now() - entry.joinedAt + current.waitMs
      entry.isPositionReported ||= wholeMs > UNREPORTED_MS_MAX
      if (entry.isPositionReported) entry.options.onPosition(current)
      pauseMs = Math.max(INTERVAL_MS, this.#line.length * INTERVAL_MS_PER_ENTRY)
    }
  }

  #close(): void {
    this.#alarm.abort()
    for (const { passed, waiting } of this.#entries.values()) {
      waiting.abort()
      passed.reject(this.#signal.reason)
    }
    this.#entries.clear()
  }
}

export type QueueTicket = ReturnType<ServiceQueue['join']>

function closedGate(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  // Avoids an unhandled rejection if the wait ends before it is awaited.
  gate.promise.catch(() => {})
  return gate
}

const STEP_MS = 10_000
const MINUTE_MS = 60_000

export function waitText(
  waitMs: number,
  t: (key: string, variables: TextVariables) => string,
): string {
  const roundedMs = Math.max(Math.ceil(waitMs / STEP_MS), 1) * STEP_MS
  if (roundedMs < MINUTE_MS) return t('wait-seconds', { count: roundedMs / 1000 })
  return t('wait-minutes', { count: Math.max(Math.round(waitMs / MINUTE_MS), 1) })
}
