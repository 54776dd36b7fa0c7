import { type CsvCell, type CsvDialect, PLAIN_CSV, writeCsvLine } from '../../../contract/money.ts'
import { toLanguage } from '../../locales/texts.ts'
import type { ChargePosition, ChargeRow } from './read-charges.ts'

const DIALECTS = {
  en: PLAIN_CSV,
  // Where the comma is in every amount, spreadsheets expect the semicolon between cells.
  ru: { separator: ';', decimalPoint: ',' },
} satisfies Record<string, CsvDialect>

/** Spreadsheets that find it read UTF-8, and Cyrillic stays Cyrillic. */
const BYTE_ORDER_MARK = '\uFEFF'

const COLUMNS: Readonly<Record<string, (charge: ChargeRow) => CsvCell>> = {
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
  written_off_rub: ({ writtenOffMicroRub }) => toRub(writtenOffMicroRub),
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
  const head = encoder.encode(BYTE_ORDER_MARK + writeCsvLine(Object.keys(COLUMNS), dialect))
  let bytes = head.byteLength
  let last: ChargePosition | undefined
  yield head
  for await (const batch of batches) {
    const lines = batch.map((charge) => {
      return writeCsvLine(
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

function toRub(microRub: bigint | null): CsvCell {
  return microRub === null ? null : { microRub }
}
