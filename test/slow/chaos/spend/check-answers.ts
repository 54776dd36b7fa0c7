import type { Pool } from 'pg'
import type { PlaygroundMessage } from '../../../../src/playground/world/message.ts'
import type { Telegram } from '../../../support/telegram-user.ts'
import { buttonsOf, REFUSED, type SentMessage } from './spend-users.ts'

interface TurnRow {
  id: number
  chatId: number
  promptMessageId: number
  state: string
  errorCode: string | null
  messageIds: number[]
  isSetAside: boolean
}

const TURNS = `
  SELECT id::int, chat_id::float8 AS "chatId", prompt_message_id AS "promptMessageId", state,
    error_code AS "errorCode", coalesce(message_ids, '{}') AS "messageIds", set_aside_at IS NOT NULL AS "isSetAside"
  FROM bot.turn ORDER BY attempt`

/** The bot's sentence where it does not know whether something stands in the chat already. */
const MAYBE_DOUBLE = 'may already stand above'

/** Looks for a question that was not answered once, nor ended once with the offer of another attempt. */
export async function checkAnswers(
  pool: Pool,
  { sent, telegram }: { sent: readonly SentMessage[]; telegram: Telegram },
): Promise<{ problems: string[]; counts: Record<string, number> }> {
  const { rows } = await pool.query<TurnRow>(TURNS)
  const turns = Map.groupBy(rows, ({ chatId, promptMessageId }) => `${chatId} ${promptMessageId}`)
  const questions = sent.filter(({ kind }) => kind === 'turn')
  const counts: Record<string, number> = {}
  const problems: string[] = []
  for (const [chatId, asked] of Map.groupBy(questions, (one) => one.chatId)) {
    const shown = telegram.playground.transcript(chatId).filter(({ from }) => from === 'bot')
    const owned = new Set(rows.flatMap((turn) => (turn.chatId === chatId ? turn.messageIds : [])))
    problems.push(...findStrays(shown, owned).map((stray) => `${chatId}: ${stray}`))
    for (const one of asked) {
      const attempts = turns.get(`${chatId} ${one.messageId}`) ?? []
      const { state = 'none', errorCode } = attempts.at(-1) ?? {}
      const end = errorCode === 'limit_reached' ? 'refused' : state
      counts[end] = (counts[end] ?? 0) + 1
      problems.push(...findFaults(one, attempts, shown).map((fault) => `${one.tag}: ${fault}`))
    }
  }
  return { problems, counts }
}

/** An answer that no turn knows of is allowed where the chat says so. */
function findStrays(shown: readonly PlaygroundMessage[], owned: ReadonlySet<number>): string[] {
  const strays = shown.filter(({ id, text = '' }) => text.includes('About n') && !owned.has(id))
  const explained = shown.filter(({ text = '' }) => text.includes(MAYBE_DOUBLE))
  if (strays.length <= explained.length) return []
  return strays.map(({ id, text = '' }) => `message ${id} is no turn's: "${text.slice(0, 100)}"`)
}

function findFaults(
  { tag }: SentMessage,
  attempts: readonly TurnRow[],
  shown: readonly PlaygroundMessage[],
): string[] {
  const last = attempts.at(-1)
  if (last === undefined) return ['no turn']
  const faults: string[] = []
  if (last.isSetAside) faults.push('its last turn is set aside')
  if (attempts.slice(0, -1).some(({ isSetAside }) => !isSetAside)) faults.push('two turns stand')
  const own = shown.filter(({ id }) => last.messageIds.includes(id))
  const text = own.map((message) => message.text ?? '').join('\n')
  if (last.state === 'finished') {
    if (count(text, `About ${tag}:`) !== 1) faults.push(`not once: "${text.slice(0, 200)}"`)
    if (count(text, `so ended ${tag}.`) !== 1) faults.push(`not whole: "${text.slice(-200)}"`)
  } else if (!own.flatMap(buttonsOf).includes(`retry:${last.id}`)) {
    faults.push(`${last.state} without an offer: "${text.slice(0, 200)}"`)
  }
  if (last.errorCode === 'limit_reached' && !REFUSED.test(text)) {
    faults.push(`refused without a word: "${text.slice(0, 200)}"`)
  }
  return faults
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
