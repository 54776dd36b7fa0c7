import type { WireChange } from '../../api.ts'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** Describes what was changed, in the reader's words; a thing without words here goes by its name. */
export function describeWhat(what: string): string {
  const name = what.replace(/^setting:/, '')
  return words.value.changes.what[name] ?? name.replaceAll('_', ' ')
}

/** A value before or after: amounts as money, known words in the reader's language, the rest as it is. */
export function describeValue({ what }: Pick<WireChange, 'what'>, value: string | null): string {
  const { nothing, values } = words.value.changes
  if (value === null) return nothing
  const isAmount = what.startsWith('limit_') || what.endsWith('_micro_rub')
  return isAmount && /^-?\d+$/.test(value) ? formatMoney(value) : (values[value] ?? value)
}
