import { setTimeout as delay } from 'node:timers/promises'
import { type Bench, nodeOf, type Program } from './bench.ts'
import type { CallCount, Shown } from './telegram.ts'

const TOKEN = '4200000:bench-bench-bench-bench-bench-bench'
const WHOLE_MS_MAX = 60_000
/** The bot's note below an answer whose process has died. */
const CUT_SHORT = 'I was restarted'
/** The bot's note above a text whose sending had no answer before. */
const AGAIN = 'this may already stand above'

/** A question and its reply, which goes on to change. Instants are in milliseconds since 1970, with fractions. */
export interface Reply {
  userId: number
  askedAt: number
  firstAt?: number
  wholeAt?: number
  isCutShort: boolean
  isShownAgain: boolean
  /** Messages that show it without a note. */
  messageIds: Set<number>
  /** It is whole, or was cut short. */
  ended: PromiseWithResolvers<void>
}

/** The double of Telegram, and the users who talk there. */
export class Telegram {
  readonly env: Record<string, string>
  readonly #program: Program
  readonly #replies = new Map<number, { reply: Reply; words: string; afterId: number }[]>()
  readonly #newestIds = new Map<number, number>()
  #counted = Promise.withResolvers<CallCount>()

  constructor(program: Program) {
    this.#program = program
    this.env = { BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: program.address }
    program.child.on('message', (message: Shown | CallCount) => {
      if ('calls' in message) this.#counted.resolve(message)
      else this.#see(message)
    })
  }

  /** @param words Part of every text of the reply, and of no other text in the chat that comes later. */
  ask(userId: number, question: string, words = 'kopeck'): Reply {
    const askedAt = performance.timeOrigin + performance.now()
    const ended = Promise.withResolvers<void>()
    const reply: Reply = {
      userId,
      askedAt,
      isCutShort: false,
      isShownAgain: false,
      messageIds: new Set(),
      ended,
    }
    const asked = { reply, words, afterId: this.#newestIds.get(userId) ?? 0 }
    this.#replies.set(userId, [...(this.#replies.get(userId) ?? []), asked])
    this.#program.child.send({ userId, text: question })
    return reply
  }

  /** Asks for all these users at once, and waits until all replies are whole. */
  async askAll(bench: Bench, userIds: readonly number[], question: string) {
    const replies = userIds.map((userId) => this.ask(userId, question))
    const whole = Promise.all(replies.map(({ ended }) => ended.promise))
    const late = delay(WHOLE_MS_MAX, 'late', { signal: bench.signal, ref: false })
    if ((await Promise.race([whole, late])) === 'late') {
      const lost = replies.filter(({ wholeAt }) => wholeAt === undefined).length
      throw new Error(`${lost} of ${replies.length} replies are not whole after ${WHOLE_MS_MAX} ms`)
    }
    return replies.map(({ firstAt = Number.NaN, wholeAt = Number.NaN, ...reply }) => ({
      ...reply,
      firstAt,
      wholeAt,
    }))
  }

  /** Counts the calls of the bot since the last count. */
  countCalls(): Promise<CallCount> {
    this.#counted = Promise.withResolvers()
    this.#program.child.send('count')
    return this.#counted.promise
  }

  #see({ userId, messageId, text, at }: Shown): void {
    this.#newestIds.set(userId, Math.max(messageId, this.#newestIds.get(userId) ?? 0))
    const asked = this.#replies.get(userId) ?? []
    for (const { reply, words, afterId } of asked) {
      if (messageId <= afterId || !text.includes(words)) continue
      if (text.includes(AGAIN)) reply.isShownAgain = true
      else reply.messageIds.add(messageId)
      reply.firstAt ??= at
      if (!text.includes(' END')) continue
      reply.wholeAt ??= at
      reply.ended.resolve()
    }
    const newest = asked.at(-1)
    if (newest === undefined || messageId <= newest.afterId || !text.includes(CUT_SHORT)) return
    newest.reply.firstAt ??= at
    newest.reply.isCutShort = true
    newest.reply.ended.resolve()
  }
}

/** @param refusedShare Share of the calls to a chat that Telegram refuses with 429, at random. */
export async function startTelegram(bench: Bench, refusedShare = 0): Promise<Telegram> {
  const env = { BOT_TOKEN: TOKEN, REFUSED_SHARE: `${refusedShare}` }
  return new Telegram(await bench.startProgram(nodeOf('telegram.ts'), { env, onMessage: () => {} }))
}

/** Starts the bot between the doubles of Telegram and of the service. */
export async function startBot(
  bench: Bench,
  root: string,
  surroundings: { telegram: Telegram; databaseUrl: string },
): Promise<Program> {
  return bench.startKopeck(root, ['bot'], {
    ...surroundings.telegram.env,
    DATABASE_URL: surroundings.databaseUrl,
    DATA_DIR: await bench.makeFolder(),
    ALLOWED_USER_IDS: '*',
    SERVICE_URL: `${(await bench.upstream()).address}/api/v1`,
    SERVICE_API_KEY: 'bench-key',
    SERVICE_LIMITS: '{"chat":100000}',
  })
}
