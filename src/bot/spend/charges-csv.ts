import { type CsvCell, type CsvDialect, PLAIN_CSV, writeCsvLine } from '../../contract/money.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { toLanguage } from '../texts/texts.ts'
import { type DateRange, type SpendFilter, toWhere } from './reports.ts'

/** Telegram takes no file above 50 MB from a bot; a charge has about 200 bytes. */
export const CHARGES_MAX = 200_000

const BEGINNING = '0001-01-01'
const BATCH_SIZE = 2_000

const WITH_NAMES = { user: { select: { firstName: true, username: true } } } as const

type ChargeRow = Prisma.ChargeGetPayload<{ include: typeof WITH_NAMES }>

const DIALECTS = {
  en: PLAIN_CSV,
  // If amounts have commas, spreadsheets expect semicolons between cells.
  ru: { separator: ';', decimalPoint: ',' },
} satisfies Record<string, CsvDialect>

/** Makes spreadsheets read UTF-8, so that Cyrillic stays Cyrillic. */
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

/** In the order of days, a batch at a time. */
export async function* writeChargesCsv(
  prisma: Pick<PrismaClient, 'charge'>,
  {
    range: { from = BEGINNING, to },
    filter,
    languageCode,
  }: { range: DateRange; filter: SpendFilter; languageCode: string | undefined },
): AsyncGenerator<Uint8Array, void> {
  const dialect = DIALECTS[toLanguage(languageCode)]
  const encoder = new TextEncoder()
  yield encoder.encode(BYTE_ORDER_MARK + writeCsvLine(Object.keys(COLUMNS), dialect))
  let last = { day: new Date(from), id: 0n }
  for (;;) {
    const { day, id } = last
    const batch = await prisma.charge.findMany({
      where: {
        ...toWhere(filter),
        // Both bounds of the day, so that the index of days is read from the last charge on.
        day: { gte: day, lte: new Date(to) },
        OR: [{ day: { gt: day } }, { day, id: { gt: id } }],
      },
      orderBy: [{ day: 'asc' }, { id: 'asc' }],
      take: BATCH_SIZE,
      include: WITH_NAMES,
    })
    const lines = batch.map((charge) => {
      const cells = Object.values(COLUMNS).map((read) => read(charge))
      return writeCsvLine(cells, dialect)
    })
    if (lines.length > 0) yield encoder.encode(lines.join(''))
    if (batch.length < BATCH_SIZE) return
    last = batch.at(-1) ?? last
  }
}

function toRub(microRub: bigint | null): CsvCell {
  return microRub === null ? null : { microRub }
}
