import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type OpenCompletion, startChatService } from '../../bot/chat-service.ts'
import { openChaosHouse } from '../chaos/chaos-house.ts'
import { findMoneyFaults } from '../chaos/find-money-faults.ts'
import { priceOf, writeServiceConfig } from '../chaos/spend/service-config.ts'

export const ANNA = 101
export const BORIS = 102
export const ADMIN = 103
/** The price of each answer that the model ends without other counts. */
export const ANSWER_MICRO_RUB = priceOf({ promptTokens: 10, completionTokens: 20 })
/** Time enough for the programs to start on a busy machine, and for a take-over. */
export const SCENARIO_MS = 180_000
const SIGHT_MS = 60_000

const SPENT = `
  SELECT coalesce(sum(amount_micro_rub), 0)::text AS spent FROM bot.charge WHERE user_id = $1`

/** The programs and their database, three users in Telegram, and a model whose answers the test writes. */
export async function openScenario({ bots = 1 }: { bots?: 1 | 2 } = {}) {
  const model = await startChatService()
  onTestFinished(model.close)
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-scenario-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const origin = `http://127.0.0.1:${model.port}`
  // The bot keeps to the pace that it has by default.
  const { SEND_LIMITS: _, ...config } = await writeServiceConfig(folder, origin)
  const house = await openChaosHouse({ bots, env: { ...config, ADMIN_IDS: String(ADMIN) } })
  const { playground } = house.telegram
  for (const id of [ANNA, BORIS, ADMIN]) {
    playground.addUser({ id, firstName: `User ${id}`, languageCode: 'en' })
  }
  const [bot] = house.processes
  if (bot === undefined) throw new Error('Cannot begin: no bot was started')
  return {
    ...house,
    playground,
    model,
    bot,
    say: house.telegram.say,
    shown,
    see,
    press,
    spent,
    end,
  }

  /** Lists the texts of the bot in a user's chat. */
  function shown(userId: number): string[] {
    const messages = playground.transcript(userId).filter(({ from }) => from === 'bot')
    return messages.map(({ text, rich }) => rich?.markdown ?? text ?? '')
  }

  /** Waits until the bot shows a text. */
  async function see(userId: number, text: string | RegExp): Promise<void> {
    const isMeant = (one: string) => (text instanceof RegExp ? text.test(one) : one === text)
    await playground.waitFor(() => shown(userId).some(isMeant), { timeoutMs: SIGHT_MS })
  }

  /** Waits for a button and presses it. */
  async function press(userId: number, label: string): Promise<void> {
    const found = await playground.waitFor(
      () => {
        for (const { id, replyMarkup } of playground.transcript(userId).toReversed()) {
          if (replyMarkup === undefined || !('inline_keyboard' in replyMarkup)) continue
          const button = replyMarkup.inline_keyboard.flat().find(({ text }) => text === label)
          if (button && 'callback_data' in button)
            return { messageId: id, data: button.callback_data }
        }
        return undefined
      },
      { timeoutMs: SIGHT_MS },
    )
    playground.presses({ userId, ...found })
  }

  async function spent(userId: number): Promise<bigint> {
    const { rows } = await house.pool.query<{ spent: string }>(SPENT, [userId])
    return BigInt(rows[0]?.spent ?? 0)
  }

  /** Stops all programs; then `account check` and `spend check` must find no difference. */
  async function end(): Promise<void> {
    const codes = await house.stop()
    expect(codes).toEqual(codes.map(() => 0))
    expect(await findMoneyFaults(house.pool)).toEqual([])
  }
}

export type Scenario = Awaited<ReturnType<typeof openScenario>>

/** Writes the beginning of an answer in two steps: the second shows that the first has reached its chat for sure. */
export async function begin(
  { see }: Scenario,
  { completion, userId }: { completion: OpenCompletion; userId: number },
): Promise<void> {
  completion.delta('Half')
  await see(userId, 'Half')
  completion.delta(' an answer')
  await see(userId, 'Half an answer')
}

/** Lists what the model received. */
export function wordsOf({ request }: OpenCompletion): string[] {
  return request.messages.map(({ content }) => content)
}
