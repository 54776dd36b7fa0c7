import { createPlayground, type Playground } from '../../../../src/playground/playground.ts'
import type { BotSurroundings } from '../../contenders/bots/start-bot.ts'
import type { RunningProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import type { AnswerShape } from '../../surroundings/answer-shape.ts'
import { type LocalService, startLocalService } from '../../surroundings/local-service.ts'

/** Beyond this a reply counts as lost. */
const WHOLE_MS_MAX = 20_000

/** A text that a user sent, and what has to come of it. */
export interface Asked {
  /** Names the question in its text and in its answer. */
  key: string
  userId: number
  messageId: number
  text: string
  answer: string
  /** When the update was there for the bot; of `performance.now()`, as all instants here. */
  askedAt: number
}

/** One bot between a Telegram without limits and a service of this process, everything seen from both sides. */
export interface BotStage<Running = RunningProgram> {
  bot: Running
  service: LocalService
  /** Sends a text as a user, who is made on first use. */
  ask(userId: number, shape: AnswerShape): Asked
  /** Has a user's newest question answered again, by a command. */
  askAgain(userId: number): Asked
  /** When the bot first showed something of the answer. */
  shownAt(asked: Asked): number | undefined
  /** Waits until every answer stands whole in its chat, alone. */
  untilWhole(asked: readonly Asked[]): Promise<void>
  /** @throws {Error} If any answer is not whole, or does not stand alone. */
  checkAll(): void
  close(): Promise<void>
}

/** @param bot One bot, or several processes of it. */
export async function openBotStage<Running extends Pick<RunningProgram, 'failed' | 'stop'>>(
  bot: { name: string; start(surroundings: BotSurroundings): Promise<Running> },
  { signal }: BenchContext,
): Promise<BotStage<Running>> {
  const questions: Asked[] = []
  const shapes = new Map<string, AnswerShape>()
  const shown = new Map<string, number>()
  const ends: (() => Promise<unknown>)[] = []
  try {
    const playground = createPlayground({ flood: 'off' })
    ends.push(() => playground.close())
    const { apiRoot } = await playground.listen()
    watchCalls(playground, shown)

    const service = await startLocalService({ shapeOf, deltaOf })
    ends.push(() => service.close())

    const telegram = { token: playground.token, apiRoot }
    const running = await bot.start({ telegram, service })
    ends.push(running.stop)
    return { bot: running, service, ask, askAgain, shownAt, untilWhole, checkAll, close }

    function ask(userId: number, shape: AnswerShape): Asked {
      signal.throwIfAborted()
      if (!playground.hasUser(userId)) playground.addUser({ id: userId, firstName: 'Bench' })
      const key = `q${questions.length + 1}`
      const text = `Question ${key}: what does a kopeck buy, and what did it buy before?`
      shapes.set(text, shape)
      const askedAt = performance.now()
      const { message_id: messageId } = playground.userSends({ userId, text })
      const asked = { key, userId, messageId, text, answer: answerTo(text, shape), askedAt }
      questions.push(asked)
      return asked
    }

    function askAgain(userId: number): Asked {
      signal.throwIfAborted()
      const newest = questions.findLast((asked) => asked.userId === userId)
      if (newest === undefined) throw new Error(`User ${userId} has asked nothing yet`)
      const askedAt = performance.now()
      const { message_id: messageId } = playground.userSends({ userId, text: '/retry' })
      const asked = { ...newest, messageId, askedAt }
      questions.push(asked)
      return asked
    }

    async function untilWhole(asked: readonly Asked[]): Promise<void> {
      const missing = [...asked]
      const look = () => {
        for (let last = missing.at(-1); last && isWhole(last); last = missing.at(-1)) missing.pop()
        return missing.length === 0
      }
      // checkAll() reports what was there instead, for the chat concerned only.
      const whole = playground.waitFor(look, { timeoutMs: WHOLE_MS_MAX }).catch(checkAll)
      // After the process has ended nobody waits for the chats any more.
      whole.catch(() => {})
      await Promise.race([whole, running.failed])
    }

    function isWhole({ userId, messageId, answer }: Asked): boolean {
      const messages = playground.transcript(userId)
      const next = messages.slice(messages.findIndex(({ id }) => id === messageId) + 1)
      const end = next.findIndex(({ from }) => from === 'user')
      const answers = end === -1 ? next : next.slice(0, end)
      return answers.length === 1 && answers[0]?.text === answer
    }

    function checkAll(): void {
      const wrong = questions.filter((asked) => !isWhole(asked))
      if (wrong.length === 0) return
      const example = wrong[0] && playground.transcript(wrong[0].userId)
      throw new Error(
        `${bot.name}: ${wrong.length} of ${questions.length} answers are not whole, or not alone: ${JSON.stringify(example, null, 2)}`,
      )
    }
  } catch (error) {
    await close()
    throw error
  }

  function shapeOf(prompt: string): AnswerShape {
    const shape = shapes.get(prompt)
    if (shape === undefined) throw new Error(`Nobody asked "${prompt}"`)
    return shape
  }

  function shownAt({ key }: Asked): number | undefined {
    return shown.get(key)
  }

  async function close(): Promise<void> {
    for (const end of ends.splice(0).reverse()) await end()
  }
}

/** Records when the first call with something of an answer in it arrived. */
function watchCalls(playground: Playground, shown: Map<string, number>): void {
  let last: Playground['calls'][number] | undefined
  playground.onChange(({ kind }) => {
    // A call is reported as soon as it is the last on record, and again as it goes on.
    const call = playground.calls.at(-1)
    if (kind !== 'call' || call === last) return
    last = call
    const text = call?.params.text ?? call?.params.rich_message
    const key = text && /Answer to (q\d+)/.exec(text)?.[1]
    if (key && !shown.has(key)) shown.set(key, performance.now())
  })
}

/** Plain words: what a bot makes of formatting is not the subject. */
function deltaOf(prompt: string, index: number): string {
  if (index === 0) return `Answer to ${/q\d+/.exec(prompt)?.[0]}:`
  return ` a kopeck buys thing ${index}`
}

function answerTo(prompt: string, { deltas }: AnswerShape): string {
  return Array.from({ length: deltas }, (_, index) => deltaOf(prompt, index)).join('')
}
