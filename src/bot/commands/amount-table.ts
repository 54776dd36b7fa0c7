import type { MessageEntity } from 'grammy/types'
import { readLabel } from '../media/catalog.ts'
import { itemText, type Reader } from '../media/option-texts.ts'
import { formatMoney, formatSum } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { HeldLimit } from '../spend/limits.ts'
import type { Overview } from '../spend/reports.ts'
import type { TextBody } from '../telegram/message.ts'
import { markInstant } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Command } from './command.ts'

const LABEL_CHARS_MAX = 24

/** Amounts below each other under a heading. The shown amounts add up. */
export interface AmountTable {
  heading: string
  rows: readonly AmountRow[]
}

export interface AmountRow {
  amountMicroRub: bigint
  /** The item or the user; it stands after the amount, so that wide characters shift nothing. */
  label: string
  rank?: string | undefined
}

/**
 * Leaves out tables of one row: what they say is one sentence in front of the others.
 *
 * @param say Writes that sentence about the label of the only row, or about several.
 */
export function withoutSingles(
  tables: readonly AmountTable[],
  say: (what: string) => string,
): (string | AmountTable)[] {
  const singles = tables.filter(({ rows }) => rows.length === 1)
  const labels = singles.flatMap(({ rows }) => rows.map(({ label }) => toShown(label)))
  return [
    ...(labels.length > 0 ? [say(labels.join(', '))] : []),
    ...tables.filter(({ rows }) => rows.length > 1),
  ]
}

/** Writes the paragraphs of a message; in its tables all characters are of one width. */
export function toTextBody(
  paragraphs: readonly (string | AmountTable)[],
  languageCode: string | undefined,
): TextBody & { entities: MessageEntity[] } {
  const entities: MessageEntity[] = []
  let text = ''
  for (const paragraph of paragraphs) {
    if (text !== '') text += '\n\n'
    if (typeof paragraph === 'string') {
      text += paragraph
      continue
    }
    entities.push({ type: 'bold', offset: text.length, length: paragraph.heading.length })
    text += `${paragraph.heading}\n`
    const table = toLines(paragraph.rows, languageCode).join('\n')
    entities.push({ type: 'pre', offset: text.length, length: table.length })
    text += table
  }
  return { text, entities }
}

/** Makes the tables of what was spent on which kind and on which item, the largest first. Each adds up to the sum. */
export function spentTables(
  { byKind, byItem }: Pick<Overview, 'byKind' | 'byItem'>,
  headings: { kinds: string; items: string },
  reader: Reader,
): AmountTable[] {
  const { languageCode, texts } = reader
  const kinds = byKind.map(({ kind, spend }) => ({
    ...spend,
    label: texts.t(languageCode, 'spend-kind', { kind }),
  }))
  const items = byItem.map(({ item, spend }) => ({ ...spend, label: itemText(item, reader) }))
  // One video says what its kind is.
  const isNamed = byItem.length === 1 && byItem.every(({ item }) => readLabel(item) !== undefined)
  return [
    ...(isNamed ? [] : [{ heading: headings.kinds, rows: kinds }]),
    { heading: headings.items, rows: items },
  ]
}

/** Lists what is left of each limit that holds, and when its next period begins. */
export function limitLines(
  held: readonly HeldLimit[],
  {
    limitTexts,
    timeZone,
    user,
    t,
  }: { limitTexts: LimitTexts; timeZone: string } & Pick<Command, 'user' | 't'>,
): string[] {
  const { languageCode } = user
  const lines = held.flatMap((limit) => {
    const { amountMicroRub, spentMicroRub, reservedMicroRub, resetsAt } = limit
    if (amountMicroRub === null) return []
    const left = amountMicroRub - spentMicroRub - reservedMicroRub
    return t('limit-left', {
      limit: limitTexts.limit(limit, languageCode),
      left: formatMoney(left > 0n ? left : 0n, languageCode),
      resets: resetsAt === null ? 'never' : 'at',
      at: resetsAt === null ? '' : markInstant(resetsAt, { languageCode, timeZone }),
    })
  })
  const isLifted = held.some((limit) => limit.isLifted)
  return isLifted ? [...lines, t('limit-lifted-today')] : lines
}

function toLines(rows: readonly AmountRow[], languageCode: string | undefined): string[] {
  const { lines: amounts } = formatSum(
    rows.map(({ amountMicroRub }) => amountMicroRub),
    languageCode,
  )
  const rankWidth = widest(rows.map(({ rank = '' }) => rank))
  const amountWidth = widest(amounts)
  return rows.map(({ rank = '', label }, index) => {
    const amount = (amounts[index] ?? '').padStart(amountWidth)
    const numbered = rankWidth === 0 ? amount : `${rank.padStart(rankWidth)}  ${amount}`
    return `${numbered}  ${toShown(label)}`
  })
}

function widest(cells: readonly string[]): number {
  return Math.max(0, ...cells.map(({ length }) => length))
}

/** A name that is written from right to left turns nothing around but itself. */
function toShown(label: string): string {
  return `\u2068${shortenLine(label, LABEL_CHARS_MAX)}\u2069`
}
