import type { Pool } from 'pg'
import type { Telegram } from '../../../support/telegram-user.ts'
import { PRICE_RUB, type UnsteadyService } from './unsteady-service.ts'

interface OrderRow {
  id: string
  chat: number
  prompt: string
  state: string
  key: string
  charged: string | null
}

const ORDERS = `
  SELECT id, chat_id::float8 AS chat, params ->> 'prompt' AS prompt, state,
    idempotency_key AS key,
    (SELECT sum(amount_micro_rub) FROM bot.charge WHERE order_id = "order".id) AS charged
  FROM bot."order" ORDER BY id`

const PRICE_MICRO_RUB = BigInt(PRICE_RUB) * 1_000_000n
/** A service allows one look at a task in so long; what a request needs on its way can shorten it a little. */
const POLL_GAP_MS_MIN = 2_900

/**
 * Looks for an order that was made twice, or not, delivered twice, or not, or charged otherwise than the
 * service charged it.
 *
 * @param asked The descriptions of all orders, each of its own chat.
 * @returns What is wrong, in sentences.
 */
export async function checkOrders(
  asked: ReadonlyMap<number, string>,
  { pool, telegram, service }: { pool: Pool; telegram: Telegram; service: UnsteadyService },
): Promise<string[]> {
  const { rows: orders } = await pool.query<OrderRow>(ORDERS)
  const problems: string[] = []
  const tasks = Map.groupBy(service.tasks(), ({ prompt }) => prompt)
  for (const [chat, prompt] of asked) {
    const ofChat = orders.filter((order) => order.chat === chat)
    const [order] = ofChat
    if (order === undefined || ofChat.length !== 1 || order.prompt !== prompt) {
      problems.push(`chat ${chat} asked once and has ${ofChat.length} orders`)
      continue
    }
    const made = tasks.get(prompt) ?? []
    const [task] = made
    if (made.length > 1) problems.push(`order ${order.id} was created ${made.length} times`)
    const clips = telegram.clips(chat).length
    const isMade = task?.status === 'success'
    if (clips !== (isMade ? 1 : 0)) {
      problems.push(
        `order ${order.id} (${order.state}) of a task in ${task?.status}: ${clips} clips`,
      )
    }
    const due = isMade ? PRICE_MICRO_RUB : 0n
    if (BigInt(order.charged ?? 0) !== due) {
      problems.push(`order ${order.id} was charged ${order.charged}, not ${due}`)
    }
  }
  return [...problems, ...findShortGaps(service)]
}

function findShortGaps({ polls }: UnsteadyService): string[] {
  return Array.from(polls, ([taskId, times]) =>
    times.flatMap((at, index) => {
      const gapMs = at - (times[index - 1] ?? Number.NEGATIVE_INFINITY)
      return gapMs < POLL_GAP_MS_MIN
        ? [`task ${taskId} was polled after ${gapMs.toFixed()} ms`]
        : []
    }),
  ).flat()
}
