import type { Pool } from 'pg'
import type { Playground } from '../../../../src/playground/playground.ts'
import type { PlaygroundMessage } from '../../../../src/playground/world/message.ts'

/** How the messages of a run ended. */
export interface TurnsReport {
  counts: Record<'sent' | 'finished' | 'interrupted' | 'failed' | 'explained' | 'doubles', number>
  faults: string[]
}

interface TurnRow {
  id: string
  chat: number
  prompt: string
  state: string
  answer: string | null
  message_ids: number[]
  charges: number
}

const TURNS = `
  SELECT turn.id, turn.chat_id::int AS chat, turn.state, turn.message_ids,
    (SELECT content FROM bot.message WHERE turn_id = turn.id AND role = 'user') AS prompt,
    (SELECT content FROM bot.message WHERE turn_id = turn.id AND role = 'assistant') AS answer,
    (SELECT count(*)::int FROM bot.charge WHERE turn_id = turn.id
      AND (amount_micro_rub > 0 OR written_off_micro_rub = 0)) AS charges
  FROM bot.turn ORDER BY turn.id`

/** Asks if so many turns have ended, and nothing is under way. */
export const AT_REST = `
  SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
     AND NOT EXISTS (SELECT FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
     AND NOT EXISTS (SELECT FROM service.request WHERE ended_at IS NULL)
     AND (SELECT count(*) FROM bot.turn) = $1 AS "isAtRest"`

/** The bot's sentence where it does not know whether something stands in the chat already. */
const MAYBE_DOUBLE = 'may already stand above'
const INTERRUPTED = 'restarted while writing'
/** The text of a waiting question. Where a kill left unknown whether it was sent, the answer begins below it. */
const WAITS = 'I’ll answer this after'

/**
 * Compares what every chat shows with what users wrote in it, and with what is stored.
 *
 * @param mayFail Whether the service may have been out of reach, so that a turn may have failed.
 */
export async function readTurnsReport(
  pool: Pool,
  playground: Playground,
  sent: ReadonlyMap<number, readonly string[]>,
  { mayFail = false } = {},
): Promise<TurnsReport> {
  const { rows: turns } = await pool.query<TurnRow>(TURNS)
  const counts = { sent: 0, finished: 0, interrupted: 0, failed: 0, explained: 0, doubles: 0 }
  const faults: string[] = []
  for (const [chat, prompts] of sent) {
    const own = turns.filter((turn) => turn.chat === chat)
    const shown = playground.transcript(chat).filter(({ from }) => from === 'bot')
    counts.sent += prompts.length
    for (const prompt of prompts) {
      const answering = own.filter((turn) => turn.prompt === prompt)
      const [turn] = answering
      if (turn === undefined || answering.length > 1) {
        faults.push(`${prompt}: ${answering.length} turns`)
        continue
      }
      faults.push(...findFaults(turn, shown, mayFail))
      if (turn.state === 'finished') counts.finished += 1
      if (turn.state === 'interrupted') counts.interrupted += 1
      if (turn.state === 'failed') counts.failed += 1
    }
    const owned = new Set(own.flatMap((turn) => turn.message_ids))
    const strays = shown.filter(({ id, text = '' }) => !owned.has(id) && !text.startsWith(WAITS))
    const explained = shown.filter(({ text = '' }) => text.includes(MAYBE_DOUBLE)).length
    counts.explained += explained
    counts.doubles += strays.length
    if (strays.length > explained) {
      const texts = strays.map(({ id, text = '' }) => `${id} "${text.slice(0, 60)}"`)
      faults.push(`${chat}: ${strays.length} messages that no turn knows: ${texts.join(', ')}`)
    }
  }
  return { counts, faults }
}

function findFaults(
  turn: TurnRow,
  shown: readonly PlaygroundMessage[],
  mayFail: boolean,
): string[] {
  const own = shown.filter(({ id }) => turn.message_ids.includes(id))
  const text = own.map((message) => message.text ?? '').join('\n')
  const isFailed = turn.state === 'failed'
  const faults: string[] = []
  // What surely was not charged by the service is not charged to the user.
  if (turn.charges !== 1 && !(isFailed && turn.charges === 0))
    faults.push(`${turn.charges} charges`)
  if (turn.state === 'finished') {
    if (count(text, 'no neural network stands behind me') !== 1) faults.push(`not once: "${text}"`)
    if (count(text, 'The end of the long answer') !== 1) faults.push(`not whole: "${text}"`)
  } else if (turn.state === 'interrupted' || (isFailed && mayFail)) {
    if (turn.state === 'interrupted' && !text.includes(INTERRUPTED)) {
      faults.push(`not explained: "${text}"`)
    }
    const offer = JSON.stringify(own.at(-1)?.replyMarkup ?? {})
    if (!offer.includes(`"retry:${turn.id}"`)) faults.push(`no offer of another attempt: ${offer}`)
  } else faults.push(`ended as ${turn.state}`)
  return faults.map((fault) => `${turn.prompt}: ${fault}`)
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
