import { hasCode } from '../../contract/client/service-error.ts'
import type { App } from '../context.ts'
import { type QueuePosition, type ServiceQueue, waitText } from '../queue.ts'
import { isCounted } from '../rate-limit.ts'
import { isBlank } from '../rich-text/characters.ts'
import { LimitReachedError } from '../spend/limits.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Draft } from './draft.ts'
import type { AnswerEnd } from './endings.ts'
import type { RequestSize, TurnRequest, TurnRequests } from './request.ts'
import type { Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** A turn that the service refuses for so long ends with the refusal. */
const QUEUE_MS_MAX = 6 * 3600_000
/** A model that thinks for less needs no words: its chat shows that the bot types. */
const THINKING_MS_MIN = 3_000
const THINKING_EVERY_MS = 5_000

export interface AnswerParts {
  app: App
  turns: Turns
  queue: ServiceQueue
  requests: TurnRequests
  /**
   * Reserves for one turn at a time: the cost of a turn is estimated from its conversation, and those of a long queue
   * would fill the memory.
   */
  reservingInTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** Ends the stream. */
  aborted: AbortSignal
}

interface AskedTurn {
  turn: Turn
  draft: Draft
  /** Builds the request when its turn has come: whole histories of a long queue would fill the memory. */
  build: () => Promise<TurnRequest>
  /** Called when the service takes no more for now. */
  onRefused: () => void
}

/** An answer on its way from the service into the draft of its turn: queue → request → deltas. */
export class Answer {
  readonly #parts: AnswerParts
  readonly #asked: AskedTurn
  readonly #ticket: ReturnType<ServiceQueue['join']>
  #typing: { end(): void } | undefined
  #mayReserve = false
  #reserving: Promise<void> | undefined
  #isOver = false
  #isAnnounced = false
  #isAllBlank = true
  #thinksSince: number | undefined
  #thinkingShownAt = Number.NEGATIVE_INFINITY
  text = ''
  /** About how long the request was, once there was one. */
  size: RequestSize | undefined
  /** Resolves when nothing more comes, also after `close()`: it goes on unseen. Never rejects. */
  readonly ended: Promise<AnswerEnd>

  constructor(parts: AnswerParts, asked: AskedTurn) {
    const { app, queue } = parts
    this.#parts = parts
    this.#asked = asked
    const { turn } = asked
    this.#ticket = queue.join(turn, {
      onWaiting: () => {
        app.log.info({ turnId: turn.id.toString() }, 'turn waits in the queue')
        this.#reserveInTurn()
      },
      onPosition: (position) => this.#showPosition(position),
    })
    this.#typing = app.outbox.keepTyping(turn)
    this.ended = this.#read()
  }

  /** Nothing more of it is shown. Nothing may be reserved for it later: a turn's reservation ends with it. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#typing?.end()
    await this.#endReserving()
  }

  /** Takes a turn that waits out of the queue. @returns Whether it was not asked. */
  leave(): boolean {
    return this.#ticket.leave()
  }

  /**
   * Reserves the cost as soon as the turn waits, so that none waits long only to be refused. A turn whose time comes
   * before that is judged when it asks, as all are.
   */
  #reserveInTurn(): void {
    this.#mayReserve = true
    void this.#parts.reservingInTurn(async () => {
      if (this.#mayReserve) this.#reserving = this.#reserve()
      await this.#reserving
    })
  }

  async #reserve(): Promise<void> {
    const { app, requests } = this.#parts
    const { turn } = this.#asked
    try {
      await requests.reserve(turn)
    } catch (error) {
      if (error instanceof LimitReachedError) this.#ticket.leave(error)
      else
        app.log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing reserved yet')
    }
  }

  async #endReserving(): Promise<void> {
    this.#mayReserve = false
    await this.#reserving
  }

  /** Asks the service when the turn has come, and again while it takes no more. */
  async #read(): Promise<AnswerEnd> {
    const { app, turns } = this.#parts
    const giveUpAt = app.clock.now() + QUEUE_MS_MAX
    for (;;) {
      const asking = { isAccepted: false }
      try {
        return await this.#ask(asking)
      } catch (error) {
        if (asking.isAccepted) return { type: 'failed', error }
        const isRefused = hasCode(error, 'rate_limited') && app.clock.now() < giveUpAt
        if (!isRefused) {
          if (!isCounted(error)) this.#ticket.uncounted()
          return { type: 'failed', error }
        }
        this.#asked.onRefused()
        // If it cannot be recorded, the next request writes it off: no user pays for it.
        await turns.recordRefusal(this.#asked.turn.id).catch(() => {})
        this.#ticket.refused(error.retryAfterMs)
      }
    }
  }

  async #ask(asking: { isAccepted: boolean }): Promise<AnswerEnd> {
    const { app, aborted } = this.#parts
    await this.#ticket.letThrough()
    if (this.#isAnnounced && !this.#isOver) {
      this.#typing = app.outbox.keepTyping(this.#asked.turn)
    }
    await this.#endReserving()
    const { request, size } = await this.#asked.build()
    this.size = size
    const options = { signal: aborted, retryRateLimited: false }
    for await (const event of app.service.streamChat(request, options)) {
      if (!asking.isAccepted) this.#ticket.accepted()
      asking.isAccepted = true
      if (event.type === 'finish') return event
      if (event.type === 'thought') this.#showThinking()
      else this.#add(event.text)
    }
    throw new Error('Cannot read answer: it has no end')
  }

  /** Reads as fast as it comes: nothing here waits for Telegram. */
  #add(text: string): void {
    // PostgreSQL's texts cannot hold a zero character, and a reader does not see it.
    const delta = text.replaceAll('\0', '')
    this.text += delta
    // A look at a text that was joined copies all of it: only the delta is looked at.
    if (this.#isAllBlank) this.#isAllBlank = isBlank(delta)
    if (this.#isAllBlank || this.#isOver) return
    this.#typing?.end()
    this.#asked.draft.grow(this.text)
  }

  /** Says that a model thinks, and for how long, for as long as its thoughts come and it has said nothing. */
  #showThinking(): void {
    if (this.#isOver) return
    const { clock, texts } = this.#parts.app
    const now = clock.now()
    this.#thinksSince ??= now
    const thinksMs = now - this.#thinksSince
    const isDue = thinksMs >= THINKING_MS_MIN && now - this.#thinkingShownAt >= THINKING_EVERY_MS
    if (!isDue) return
    this.#thinkingShownAt = now
    this.#typing?.end()
    const { turn, draft } = this.#asked
    const seconds = Math.round(thinksMs / 1000)
    draft.announce(texts.t(turn.languageCode, 'reply-thinks', { seconds }))
  }

  #showPosition({ position, waitMs }: QueuePosition): void {
    const { texts } = this.#parts.app
    const { turn, draft } = this.#asked
    this.#isAnnounced = true
    this.#typing?.end()
    if (this.#isOver) return
    const wait = waitText(waitMs, (key, variables) => texts.t(turn.languageCode, key, variables))
    draft.announce(texts.t(turn.languageCode, 'reply-queued', { position, wait }))
  }
}
