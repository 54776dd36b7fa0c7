import { formatRub } from '../../../contract/money.ts'
import { toLanguage } from '../../locales/texts.ts'
import type { ChargePosition, ChargeRow } from './read-charges.ts'

/** How a spreadsheet of a reader's language tells cells, and a number's parts, from each other. */
interface Dialect {
  separator: ',' | ';'
  decimalPoint: '.' | ','
}

const DIALECTS = {
  en: { separator: ',', decimalPoint: '.' },
  // Where the comma is in every amount, spreadsheets expect the semicolon between cells.
  ru: { separator: ';', decimalPoint: ',' },
} satisfies Record<string, Dialect>

/** Spreadsheets that find it read UTF-8, and Cyrillic stays Cyrillic. */
const BYTE_ORDER_MARK = '\uFEFF'

/** A number, which a spreadsheet may calculate with, or a text, which it may not. */
type Cell = number | bigint | boolean | string | { microRub: bigint } | null

const COLUMNS: Readonly<Record<string, (charge: ChargeRow) => Cell>> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  day: ({ day }) => day,
  user_id: ({ userId }) => userId,
  name: ({ firstName }) => firstName,
  username: ({ username }) => username,
  chat_id: ({ chatId }) => chatId,
  kind: ({ kind }) => kind,
  item: ({ item }) => item,
  prompt_tokens: ({ promptTokens }) => promptTokens,
  history_tokens: ({ historyTokens }) => historyTokens,
  completion_tokens: ({ completionTokens }) => completionTokens,
  prompt_rub_per_1m: ({ promptPriceMicroRub }) => toRub(promptPriceMicroRub),
  completion_rub_per_1m: ({ completionPriceMicroRub }) => toRub(completionPriceMicroRub),
  amount_rub: ({ amountMicroRub }) => toRub(amountMicroRub),
  estimated: ({ estimated }) => estimated,
  written_off: ({ writtenOff }) => writtenOff,
  reversal_of: ({ reversalOfId }) => reversalOfId,
  turn_id: ({ turnId }) => turnId,
  request: ({ request }) => request,
  order_id: ({ orderId }) => orderId,
  request_id: ({ requestId }) => requestId,
  task_id: ({ taskId }) => taskId,
}

/**
 * Writes charges as a file for spreadsheets, a batch at a time.
 *
 * @param languageCode Of who reads it: in Russian cells are parted by semicolons and roubles by a comma.
 * @param bytesMax The file ends before a batch that would make it larger, but never without a charge.
 * @returns The last charge in the file where others follow it; undefined where it has them all.
 */
export async function* writeChargesCsv(
  batches: AsyncIterable<readonly ChargeRow[]>,
  {
    languageCode,
    bytesMax = Number.POSITIVE_INFINITY,
  }: { languageCode: string | undefined; bytesMax?: number },
): AsyncGenerator<Uint8Array, ChargePosition | undefined> {
  const dialect = DIALECTS[toLanguage(languageCode)]
  const encoder = new TextEncoder()
  const head = encoder.encode(BYTE_ORDER_MARK + toLine(Object.keys(COLUMNS), dialect))
  let bytes = head.byteLength
  let last: ChargePosition | undefined
  yield head
  for await (const batch of batches) {
    const lines = batch.map((charge) => {
      return toLine(
        Object.values(COLUMNS).map((read) => read(charge)),
        dialect,
      )
    })
    const piece = encoder.encode(lines.join(''))
    bytes += piece.byteLength
    if (last !== undefined && bytes > bytesMax) return last
    yield piece
    last = batch.at(-1) ?? last
  }
  return undefined
}

function toLine(cells: readonly Cell[], dialect: Dialect): string {
  return `${cells.map((cell) => toCell(cell, dialect)).join(dialect.separator)}\r\n`
}

function toCell(cell: Cell, dialect: Dialect): string {
  if (cell === null) return ''
  if (typeof cell === 'object') {
    return formatRub(cell.microRub).replace('.', dialect.decimalPoint)
  }
  return typeof cell === 'string' ? toTextCell(cell) : String(cell)
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe; quotes keep the rest together. */
function toTextCell(text: string): string {
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

function toRub(microRub: bigint | null): Cell {
  return microRub === null ? null : { microRub }
}
