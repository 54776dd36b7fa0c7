import { readLabel } from '../media/options/catalog.ts'
import { itemText, type Reader } from '../media/options/option-texts.ts'
import type { Spenders } from '../spend/reports/overview.ts'
import type { AmountTable } from './amount-table.ts'

/** Makes the tables of what was spent on which kind and on which item, the largest first. Each adds up to the sum. */
export function spentTables(
  { byKind, byItem }: Pick<Spenders, 'byKind' | 'byItem'>,
  headings: { kinds: string; items: string },
  reader: Reader,
): AmountTable[] {
  const { languageCode, texts } = reader
  const kinds = byKind.map(({ kind, spend }) => ({
    ...spend,
    label: texts.t(languageCode, 'spend-kind', { kind }),
  }))
  const items = byItem.map(({ item, spend }) => ({ ...spend, label: itemText(item, reader) }))
  // One clip says what its kind is.
  const isNamed = byItem.length === 1 && byItem.every(({ item }) => readLabel(item) !== undefined)
  return [
    ...(isNamed ? [] : [{ heading: headings.kinds, rows: kinds }]),
    { heading: headings.items, rows: items },
  ]
}
