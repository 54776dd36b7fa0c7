import { writeChargesCsv } from '../../../spend/reports/charges-csv.ts'
import type { ChargePosition } from '../../../spend/reports/read-charges.ts'
import type { DateRange, ReportSpan } from '../../../spend/reports/span.ts'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { Command } from '../../command.ts'

/** Telegram takes no larger file from a bot. */
const FILE_BYTES_MAX = 50_000_000

export interface ChargesRequest extends Pick<Command, 'user' | 't' | 'answer' | 'answerFile'> {
  reports: Pick<SpendReports, 'dates' | 'spenders' | 'charges'>
  bytesMax?: number
}

/**
 * Sends every charge of a span as a file for spreadsheets, which is read from the database while it is sent. What
 * is too much for one file goes on in a next one: a spreadsheet could not hold it on one sheet either.
 */
export async function sendCharges(
  span: ReportSpan,
  { reports, bytesMax = FILE_BYTES_MAX, user, t, answer, answerFile }: ChargesRequest,
): Promise<void> {
  const { rest } = await reports.spenders({ span }, { skip: 0, take: 0 })
  if (rest.users === 0) return answer(t('spend-none'))
  const range = await reports.dates(span)
  let after: ChargePosition | undefined
  let files = 0
  do {
    files += 1
    /** The file that is being sent, and where the next one begins; it is opened again for each attempt. */
    const file: { after: typeof after; next: typeof after } = { after, next: undefined }
    await answerFile({
      fileName: fileNameOf(range, files),
      bytes: async function* () {
        const batches = reports.charges({ range, after: file.after })
        const options = { languageCode: user.languageCode, bytesMax }
        file.next = yield* writeChargesCsv(batches, options)
      },
    })
    after = file.next
  } while (after !== undefined)
  if (files > 1) await answer(t('spend-files', { count: files }))
}

function fileNameOf({ from, to }: DateRange, number: number): string {
  const dates = from === undefined || from === to ? [to] : [from, to]
  const parts = ['spend', ...dates, ...(number > 1 ? [number] : [])]
  return `${parts.join('-')}.csv`
}
