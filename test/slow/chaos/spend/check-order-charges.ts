import type { Pool } from 'pg'
import type { PlaygroundMessage } from '../../../../src/playground/world/message.ts'
import type { Telegram } from '../../../support/telegram-user.ts'
import { findTag, REFUSED, type SentMessage } from './spend-users.ts'

interface OrderRow {
  id: number
  prompt: string
  state: string
  taskId: number | null
  status: string | null
  price: string | null
}

const ORDERS = `
  SELECT "order".id::int, "order".params ->> 'prompt' AS prompt, state, task.id AS "taskId",
    task.status, task.price_micro_rub AS price
  FROM bot."order" LEFT JOIN service.task ON task.idempotency_key = "order".idempotency_key::text
  WHERE state <> 'draft' ORDER BY "order".id`

interface OrderCharge {
  orderId: number
  userId: number
  chatId: number
  amount: string
  estimated: boolean
  taskId: number | null
  takenBack: 'no' | 'reversed' | 'written off'
}

const CHARGES = `
  SELECT charge.order_id::int AS "orderId", charge.user_id::float8 AS "userId", charge.chat_id::float8 AS "chatId",
    charge.amount_micro_rub AS amount, charge.estimated, charge.task_id AS "taskId",
    CASE WHEN back.written_off THEN 'written off' WHEN back.id IS NULL THEN 'no' ELSE 'reversed' END AS "takenBack"
  FROM bot.charge LEFT JOIN bot.charge AS back ON back.reversal_of = charge.id
  WHERE charge.reversal_of IS NULL AND charge.order_id IS NOT NULL`

/** Finds what was asked, or refused, on a card whose message may have been lost: it is sent once at most. */
const UNSHOWN = `
  SELECT chat_id::float8 AS "chatId", reply_to_message_id AS "messageId" FROM bot."order"
  WHERE state = 'draft' AND status_message_id IS NULL`

const TASKS = 'SELECT count(*)::int FROM service.task'

/**
 * Looks for an order that was made twice, or not, shown twice, or not, or charged otherwise than the service
 * charged its task.
 * One that a limit refuses is answered so, and is none. Where that message was lost on its way, its card is there.
 */
export async function checkOrderCharges(
  pool: Pool,
  { sent, telegram }: { sent: readonly SentMessage[]; telegram: Telegram },
): Promise<{ problems: string[]; counts: Record<string, number> }> {
  const { rows: charges } = await pool.query<OrderCharge>(CHARGES)
  const { rows: orders } = await pool.query<OrderRow>(ORDERS)
  const { rows: tasks } = await pool.query<{ count: number }>(TASKS)
  const { rows: cards } = await pool.query<Pick<SentMessage, 'chatId' | 'messageId'>>(UNSHOWN)
  const unshown = new Set(cards.map(({ chatId, messageId }) => `${chatId} ${messageId}`))
  const problems: string[] = []
  const made = orders.filter(({ taskId }) => taskId !== null).length
  if (tasks[0]?.count !== made) problems.push(`${tasks[0]?.count} tasks, ${made} orders with one`)
  const counts: Record<string, number> = {}
  for (const one of sent.filter(({ kind }) => kind !== 'turn')) {
    const ofTag = orders.filter(({ prompt }) => findTag(prompt) === one.tag)
    const [order] = ofTag
    const state = order?.state ?? unmade(one)
    counts[state] = (counts[state] ?? 0) + 1
    if (state === 'refused' || state === 'unshown') continue
    if (order === undefined || ofTag.length > 1) problems.push(`${one.tag}: ${ofTag.length} orders`)
    else problems.push(...findFaults(order, one).map((fault) => `${one.tag}: ${fault}`))
  }
  return { problems, counts }

  function findFaults({ id, state, taskId, status, price }: OrderRow, one: SentMessage): string[] {
    const isMade = status === 'success'
    const shown = resultsOf(one)
    const own = charges.filter(({ orderId }) => orderId === id)
    const paid = own.filter(({ takenBack }) => takenBack === 'no')
    const faults: string[] = []
    if (shown !== (isMade ? 1 : 0))
      faults.push(`${shown} results of a task in ${status} (${state})`)
    if (own.length !== (taskId === null ? 0 : 1)) faults.push(`${own.length} charges`)
    for (const charge of own) {
      const { userId, chatId, amount, estimated, takenBack } = charge
      if (amount !== price || estimated) faults.push(`charged ${amount}`)
      if (charge.taskId !== taskId) faults.push(`charged for task ${charge.taskId}`)
      if (userId !== one.userId || chatId !== one.chatId) faults.push(`charged to ${userId}`)
      if (takenBack !== (isMade ? 'no' : 'reversed')) faults.push(`${takenBack}, ${status}`)
    }
    if (paid.length > 1) faults.push(`paid ${paid.length} times`)
    return faults
  }

  function unmade(one: SentMessage): 'refused' | 'unshown' | 'none' {
    if (answersTo(one).some(({ text = '' }) => REFUSED.test(text))) return 'refused'
    return unshown.has(`${one.chatId} ${one.messageId}`) ? 'unshown' : 'none'
  }

  function resultsOf(one: SentMessage): number {
    const results = answersTo(one).filter(
      ({ video, photo, audio, document }) => video ?? photo ?? audio ?? document,
    )
    return results.length
  }

  function answersTo({ chatId, messageId }: SentMessage): PlaygroundMessage[] {
    const shown = telegram.playground.transcript(chatId)
    return shown.filter((message) => message.replyToMessageId === messageId)
  }
}
