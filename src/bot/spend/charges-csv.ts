/** Charges one by one, as files for spreadsheets. */
import { type CsvCell, type CsvDialect, PLAIN_CSV, writeCsvLine } from '../../contract/money.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { toLanguage } from '../texts/texts.ts'
import { type DateRange, type SpendFilter, toWhere } from './reports.ts'

const BEGINNING = '0001-01-01'
const BATCH_SIZE = 2_000

const WITH_NAMES = { user: { select: { firstName: true, username: true } } } as const

/** A charge with the names of its user. */
export type ChargeRow = Prisma.ChargeGetPayload<{ include: typeof WITH_NAMES }>

/** The charge after which reading goes on. */
export type ChargePosition = Pick<ChargeRow, 'day' | 'id'>

/** Reads the charges of a range in the order of their days, a batch at a time: each is a short statement of its own. */
export async function* readCharges(
  prisma: Pick<PrismaClient, 'charge'>,
  {
    range: { from = BEGINNING, to },
    filter,
    after = { day: new Date(from), id: 0n },
  }: { range: DateRange; filter: SpendFilter; after?: ChargePosition | undefined },
): AsyncGenerator<ChargeRow[], void> {
  let position: ChargePosition = after
  for (;;) {
    const { day, id } = position
    const batch = await prisma.charge.findMany({
      where: {
        ...toWhere(filter),
        // Both bounds of the day, so that the index of days is read from the position on.
        day: { gte: day, lte: new Date(to) },
        OR: [{ day: { gt: day } }, { day, id: { gt: id } }],
      },
      orderBy: [{ day: 'asc' }, { id: 'asc' }],
      take: BATCH_SIZE,
      include: WITH_NAMES,
    })
    if (batch.length > 0) yield batch
    const last = batch.at(-1)
    if (last === undefined || batch.length < BATCH_SIZE) return
    position = last
  }
}

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
  day: ({ day }) => day.toISOString().slice(0, 10),
  user_id: ({ userId }) => userId,
  name: ({ user }) => user.firstName,
  username: ({ user }) => user.username,
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
