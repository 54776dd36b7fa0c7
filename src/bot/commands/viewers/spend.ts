import { shortenLine } from '../../shorten.ts'
import { formatMoney } from '../../spend/format.ts'
import type { Spend, SpendReports, UserSpend } from '../../spend/reports.ts'
import type { Command, CommandDefinition } from '../command.ts'

/** A message takes 4,096 characters. */
const TABLE_CHARS_MAX = 3_500
const NAME_CHARS_MAX = 18
const GAP = '  '

interface SpendDeps {
  reports: Pick<SpendReports, 'byUser' | 'writtenOff'>
}

/** Shows an admin who spent what, the month's first spender on top, and what nobody pays for. */
export const spendCommand: CommandDefinition<SpendDeps> = {
  name: 'spend',
  audience: 'viewers',
  create: ({ reports }) => ({
    async handle(command) {
      const { t, answer } = command
      const spends = await reports.byUser()
      if (spends.length === 0) return answer(t('spend-none'))
      const { table, note } = toTable(spends, await reports.writtenOff(), command)
      // Columns stand below each other only where all characters are of one width.
      await answer(table + note, { entities: [{ type: 'pre', offset: 0, length: table.length }] })
    },
  }),
}

/**
 * Columns as wide as their widest cell; as many users as there is room for, then the sums of all and, if
 * there are any, the write-offs.
 */
function toTable(
  spends: readonly UserSpend[],
  writtenOff: Spend,
  { user, t }: Command,
): { table: string; note: string } {
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const toCells = (name: string, spend: Spend) => [
    name,
    money(spend.todayMicroRub),
    money(spend.monthMicroRub),
    money(spend.totalMicroRub),
  ]
  const head = [t('spend-name'), t('spend-today'), t('spend-month'), t('spend-total')]
  const sums = toCells(t('spend-sum'), {
    todayMicroRub: sum(spends.map(({ todayMicroRub }) => todayMicroRub)),
    monthMicroRub: sum(spends.map(({ monthMicroRub }) => monthMicroRub)),
    totalMicroRub: sum(spends.map(({ totalMicroRub }) => totalMicroRub)),
  })
  const foot =
    writtenOff.totalMicroRub === 0n ? [sums] : [sums, toCells(t('spend-written-off'), writtenOff)]
  const rows = spends.map((spend) => toCells(nameOf(spend), spend))
  const widths = head.map((_, column) =>
    Math.max(...[head, ...foot, ...rows].map((cells) => lengthOf(cells[column] ?? ''))),
  )
  const lineChars = widths.reduce((chars, width) => chars + width + GAP.length, 1)
  const shown = rows.slice(0, Math.floor(TABLE_CHARS_MAX / lineChars))
  const table = [head, ...shown, ...foot].map((cells) => toLine(cells, widths)).join('\n')
  const count = rows.length - shown.length
  return { table, note: count === 0 ? '' : `\n\n${t('spend-cut', { count })}` }
}

/** Names to the left, amounts to the right. */
function toLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => {
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(cell)))
      return column === 0 ? cell + padding : padding + cell
    })
    .join(GAP)
}

function nameOf({ firstName, username, userId }: UserSpend): string {
  const name = username === null ? firstName : `@${username}`
  // Who had everything erased has no name any more.
  return shortenLine(name, NAME_CHARS_MAX) || `id ${userId}`
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function lengthOf(text: string): number {
  return [...text].length
}
