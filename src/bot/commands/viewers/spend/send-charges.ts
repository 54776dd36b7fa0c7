import { writeChargesCsv } from '../../../spend/reports/charges-csv.ts'
import type { ChargePosition } from '../../../spend/reports/read-charges.ts'
import type { DateRange, Span } from '../../../spend/reports/span.ts'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { Command } from '../../command.ts'

/** Telegram takes no larger file from a bot. */
const FILE_BYTES_MAX = 50_000_000

/**
 * Sends every charge of a span as a file for spreadsheets, which is read from the database while it is sent. What
 * is too much for one file goes on in a next one: a spreadsheet could not hold it on one sheet either.
 */
export async function sendCharges(
  span: Span,
  {
    reports,
    user,
    t,
    answer,
    answerFile,
  }: { reports: Pick<SpendReports, 'dates' | 'spenders' | 'charges'> } & Pick<
    Command,
    'user' | 't' | 'answer' | 'answerFile'
  >,
): Promise<void> {
  const { rest } = await reports.spenders({ span }, { skip: 0, take: 0 })
  if (rest.users === 0) return answer(t('spend-none'))
  const range = await reports.dates(span)
  let after: ChargePosition | undefined
  let files = 0
  do {
    files += 1
    const begin = after
    /** Set when the file was read to its end; it is opened anew for each attempt. */
    let end: { next: ChargePosition | undefined } | undefined
    await answerFile({
      fileName: fileNameOf(range, files),
      bytes: async function* () {
        const batches = reports.charges({ range, after: begin })
        const options = { languageCode: user.languageCode, bytesMax: FILE_BYTES_MAX }
        end = { next: yield* writeChargesCsv(batches, options) }
      },
    })
    after = (end as { next: ChargePosition | undefined } | undefined)?.next
  } while (after !== undefined)
  if (files > 1) await answer(t('spend-files', { count: files }))
}

function fileNameOf({ from, to }: DateRange, number: number): string {
  const dates = from === undefined || from === to ? [to] : [from, to]
  const parts = ['spend', ...dates, ...(number > 1 ? [number] : [])]
  return `${parts.join('-')}.csv`
}
