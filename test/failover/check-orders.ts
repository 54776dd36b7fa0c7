import type { Pool } from 'pg'
import type { Telegram } from '../support/telegram-user.ts'

interface OrderRow {
  id: string
  state: string
  prompt: string
  tasks: number
  charged: string
}

const ORDERS = `
  SELECT id, state, params ->> 'prompt' AS prompt,
    (SELECT count(*)::int FROM service.task WHERE params ->> 'prompt' = "order".params ->> 'prompt') AS tasks,
    (SELECT coalesce(sum(amount_micro_rub), 0) FROM bot.charge WHERE order_id = "order".id) AS charged
  FROM bot."order"`

/** The price of a clip of five seconds. */
const PRICE_MICRO_RUB = '40000000'

/** How the orders of a run ended. */
export interface OrdersReport {
  delivered: number
  failed: number
  /** Sentences, one for each order that was lost or made twice, or is charged otherwise than it came. */
  lost: string[]
  twice: string[]
  wrong: string[]
}

/** @param asked The prompts of each chat, each once. */
export async function checkOrders(
  pool: Pool,
  telegram: Telegram,
  asked: ReadonlyMap<number, readonly string[]>,
): Promise<OrdersReport> {
  const { rows } = await pool.query<OrderRow>(ORDERS)
  const report: OrdersReport = { delivered: 0, failed: 0, lost: [], twice: [], wrong: [] }
  for (const [chat, prompts] of asked) {
    let delivered = 0
    for (const prompt of prompts) {
      const orders = rows.filter((row) => row.prompt === prompt)
      const [order] = orders
      if (order === undefined) {
        report.lost.push(`order "${prompt}" is not there`)
        continue
      }
      if (orders.length > 1) report.twice.push(`order "${prompt}" is there ${orders.length} times`)
      if (order.tasks > 1) report.twice.push(`order ${order.id} was made ${order.tasks} times`)
      const isDelivered = order.state === 'delivered'
      delivered += isDelivered ? 1 : 0
      report.failed += isDelivered ? 0 : 1
      if (order.charged !== (isDelivered ? PRICE_MICRO_RUB : '0'))
        report.wrong.push(`order ${order.id} (${order.state}) is charged ${order.charged}`)
    }
    const clips = telegram.clips(chat).length
    report.delivered += delivered
    if (clips < delivered) report.lost.push(`chat ${chat}: ${clips} clips of ${delivered}`)
    if (clips > delivered) report.twice.push(`chat ${chat}: ${clips} clips of ${delivered}`)
  }
  return report
}
