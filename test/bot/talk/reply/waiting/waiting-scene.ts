import { createManualClock } from '../../../../platform/time/manual-clock.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../../bot-setup.ts'
import type { OpenCompletion } from '../../../chat-service.ts'
import { ended, until } from '../../turns/ended.ts'

const GROUP = -5
/** A wait is shown after a second. */
export const SILENT_MS = 1_000
const FLOW_MS = 50

/** A bot with a chat in which questions wait, on a stopped clock. */
export async function createWaitingScene({ group = false } = {}) {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  const chatId = group ? GROUP : ANNA
  if (group) setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  const bot = await setup.startBot()
  const scene = {
    setup,
    bot,
    chatId,
    first: 0,
    ask,
    askAndSee,
    next,
    send,
    waits,
    waitForText,
    message,
    ended: allEnded,
    pass: setup.passTime,
    press: pressAt,
    flow,
    flowUntil,
  }
  return scene

  function send(text: string, userId = ANNA): number {
    const named = group ? `@${setup.playground.me.username} ${text}` : text
    return setup.playground.userSends({ userId, chatId, text: named }).message_id
  }

  async function ask(text: string): Promise<OpenCompletion> {
    const id = send(text)
    scene.first ||= id
    return next()
  }

  async function askAndSee(text: string, beginning: string): Promise<OpenCompletion> {
    const completion = await ask(text)
    completion.delta(beginning)
    await waitForText(beginning)
    return completion
  }

  function next(flowMsMax = Number.POSITIVE_INFINITY): Promise<OpenCompletion> {
    return flow(setup.service.next(), flowMsMax)
  }

  async function waits(count: number): Promise<void> {
    const { turn } = setup.database.prisma
    await until(async () => (await turn.count({ where: { state: 'waiting' } })) === count)
  }

  async function waitForText(text: string | RegExp): Promise<void> {
    await flowUntil(() =>
      setup
        .textsIn(chatId)
        .some((one = '') => (text instanceof RegExp ? text.test(one) : one === text)),
    )
  }

  function message(text: RegExp) {
    return setup.playground
      .transcript(chatId)
      .find((one) => one.from === 'bot' && text.test(one.rich?.markdown ?? one.text ?? ''))
  }

  async function allEnded(count: number): Promise<void> {
    await flow(ended(setup, count))
  }

  async function pressAt(given: { messageId: number; data: string; userId?: number }) {
    const id = setup.playground.presses({ userId: ANNA, chatId, ...given })
    await flowUntil(() => setup.playground.pressed(id)?.answer !== undefined)
    return setup.playground.pressed(id)?.answer?.text
  }

  async function flowUntil(look: () => boolean): Promise<void> {
    await until(async () => {
      clock.advance(FLOW_MS)
      return look()
    })
  }

  async function flow<T>(promise: Promise<T>, flowMsMax = Number.POSITIVE_INFINITY): Promise<T> {
    let flowedMs = 0
    const flowing = setInterval(() => {
      if (flowedMs + FLOW_MS > flowMsMax) return
      flowedMs += FLOW_MS
      clock.advance(FLOW_MS)
    }, 1)
    return promise.finally(() => clearInterval(flowing))
  }
}

/** Answers with one delta. */
export function finish(completion: OpenCompletion, text: string): void {
  completion.delta(text)
  completion.finish()
}

/** Lists the texts that went out by a method of Telegram's. */
export function texts({ playground }: BotSetup, method: string): string[] {
  return playground.calls
    .filter((call) => call.method === method)
    .map(({ params }) => params.text ?? '')
}
