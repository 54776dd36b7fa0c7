import { formatRub } from '../../../contract/money.ts'
import type { SumDifference, SumsCheck } from './check-sums.ts'

const HEAD = ['user or group', 'kept in', 'of', 'what', 'by the charges', 'kept', 'difference']

/** Writes what a check found as lines for people, amounts in roubles to the last micro-rouble. */
export function printCheck(found: SumsCheck): string {
  const { charges, users, differences, differenceCount } = found
  const facts = [
    ['Charges', `${charges.toLocaleString('en')} of ${users.toLocaleString('en')} users`],
    ['Users pay', `${formatRub(found.amountMicroRub)} RUB`],
    ['  estimated', `${formatRub(found.estimatedMicroRub)} RUB`],
    ['Written off', `${formatRub(found.writtenOffMicroRub)} RUB`],
    ['Reserved', `${formatRub(found.reservedMicroRub)} RUB`],
  ]
  if (differenceCount === 0) {
    return [...align(facts), '', 'All sums and counters are what the charges say.'].join('\n')
  }
  const listed = differenceCount > differences.length ? `; the ${differences.length} largest:` : ':'
  return [
    ...align(facts),
    '',
    `${differenceCount} sums are not what the charges say${listed}`,
    '',
    ...align([HEAD, ...byUser(differences).map(toCells)]),
  ].join('\n')
}

/** Writes it as one JSON line: amounts in micro-roubles, as strings, since they may be above 2^53. */
export function printJson(found: object): string {
  return JSON.stringify(found, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
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

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
