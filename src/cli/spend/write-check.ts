import type { SumDifference, SumsCheck } from '../../bot/spend/check/check-sums.ts'
import { formatRub } from '../../contract/money.ts'
import { type Column, writeTable } from '../command-line/write-table.ts'

const COLUMNS: readonly Column[] = [
  { head: 'user or group' },
  { head: 'kept in' },
  { head: 'of' },
  { head: 'what' },
  { head: 'by the charges', isNumber: true },
  { head: 'kept', isNumber: true },
  { head: 'difference', isNumber: true },
]

/** Writes what a check found as lines for people, amounts in roubles to the last micro-rouble. */
export function writeCheck(found: SumsCheck): string {
  const { charges, users, differences, differenceCount } = found
  const facts = [
    `Charges      ${charges.toLocaleString('en')} of ${users.toLocaleString('en')} users`,
    `Users pay    ${formatRub(found.amountMicroRub)} RUB`,
    `  estimated  ${formatRub(found.estimatedMicroRub)} RUB`,
    `Written off  ${formatRub(found.writtenOffMicroRub)} RUB`,
    `Reserved     ${formatRub(found.reservedMicroRub)} RUB`,
  ]
  if (differenceCount === 0) {
    return [...facts, '', 'All sums and counters are what the charges say.'].join('\n')
  }
  const listed = differenceCount > differences.length ? `; the ${differences.length} largest:` : ':'
  return [
    ...facts,
    '',
    `${differenceCount} sums are not what the charges say${listed}`,
    '',
    writeTable(COLUMNS, byUser(differences).map(toCells)),
  ].join('\n')
}

/** Whose largest difference is larger comes first, all of one user together. */
function byUser(differences: readonly SumDifference[]): SumDifference[] {
  return [...Map.groupBy(differences, ({ id }) => id).values()].flat()
}

function toCells({ id, table, key, column, wanted, kept }: SumDifference): string[] {
  const amount = (value: bigint) => (column === 'charges' ? String(value) : formatRub(value))
  const what = column.replace('_micro_rub', '').replace('_', ' ')
  return [String(id), table, key, what, amount(wanted), amount(kept), amount(kept - wanted)]
}
