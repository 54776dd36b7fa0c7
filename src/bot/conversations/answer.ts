import { hasCode } from '../../contract/client/service-error.ts'
import type { App } from '../context.ts'
import { type QueuePosition, type ServiceQueue, waitText } from '../queue.ts'
import { isCounted } from '../rate-limit.ts'
import { isBlank } from '../rich-text/characters.ts'
import { LimitReachedError } from '../spend/limits.ts'
import type { Draft } from './draft.ts'
import type { AnswerEnd } from './endings.ts'
import type { RequestSize, TurnRequest } from './request.ts'
import type { Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** A turn that the service refuses for this long ends with the refusal. */
const QUEUE_MS_MAX = 6 * 3600_000
/** A shorter wait needs no words: the chat shows that the bot types. */
const THINKING_MS_MIN = 3_000
const THINKING_EVERY_MS = 5_000

export interface AnswerParts {
  app: App
  turns: Turns
  queue: ServiceQueue
  aborted: AbortSignal
}

interface AskedTurn {
  turn: Turn
  draft: Draft
  /** Builds the request when its turn has come: whole histories of a long queue would fill the memory. */
  build: () => Promise<TurnRequest>
  onRefused: () => void
}

/** An answer on its way from the service into the draft of its turn: queue → request → deltas. */
export class Answer {
  readonly #parts: AnswerParts
  readonly #asked: AskedTurn
  readonly #ticket: ReturnType<ServiceQueue['join']>
  #typing: { end(): void } | undefined
  #isOver = false
  #isAnnounced = false
  #isAllBlank = true
  #refusal: LimitReachedError | undefined
  #thinksSince: number | undefined
  #thinkingShownAt = Number.NEGATIVE_INFINITY
  text = ''
  size: RequestSize | undefined
  /** Resolves when the stream has ended, also after `close()`. Never rejects. */
  readonly ended: Promise<AnswerEnd>

  constructor(parts: AnswerParts, asked: AskedTurn) {
    const { app, queue } = parts
    this.#parts = parts
    this.#asked = asked
    const turnId = asked.turn.id.toString()
    this.#ticket = queue.join(asked.turn, {
      onWaiting: () => {
        app.log.info({ turnId }, 'turn waits in the queue')
        void this.#leaveIfSpent()
      },
      onPosition: (position) => this.#showPosition(position),
    })
    this.#typing = app.outbox.keepTyping(asked.turn)
    this.ended = this.#read()
  }

  close(): void {
    this.#isOver = true
    this.#typing?.end()
  }

  /** Leaves the queue. Returns whether the service was not asked. */
  leave(): boolean {
    return this.#ticket.leave()
  }

  /** A user whose limit is reached does not wait only to be refused. */
  async #leaveIfSpent(): Promise<void> {
    const { userId, chatId } = this.#asked.turn
    try {
      await this.#parts.app.spend.limits.check({ userId, chatId, amountMicroRub: 0n })
    } catch (error) {
      // If the limits cannot be read, the request finds out.
      if (error instanceof LimitReachedError && this.leave()) this.#refusal = error
    }
  }

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
          return { type: 'failed', error: this.#refusal ?? error }
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
    // PostgreSQL's texts cannot hold a zero character.
    const delta = text.replaceAll('\0', '')
    this.text += delta
    // Checking the joined text would copy all of it for each delta.
    if (this.#isAllBlank) this.#isAllBlank = isBlank(delta)
    if (this.#isAllBlank || this.#isOver) return
    this.#typing?.end()
    this.#asked.draft.grow(this.text)
  }

  #showThinking(): void {
    const { clock, texts } = this.#parts.app
    const now = clock.now()
    this.#thinksSince ??= now
    const thinksMs = now - this.#thinksSince
    const isDue = thinksMs >= THINKING_MS_MIN && now - this.#thinkingShownAt >= THINKING_EVERY_MS
    if (this.#isOver || !isDue) return
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
