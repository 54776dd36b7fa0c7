/** Texts about spending that several commands show: tables of amounts, remarks on a sum, and limits. */
import type { MessageEntity } from 'grammy/types'
import { itemText } from '../media/option-texts.ts'
import { formatMoney, formatSum } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { HeldLimit } from '../spend/limits.ts'
import type { Overview, Spend } from '../spend/reports.ts'
import type { TextBody } from '../telegram/message.ts'
import { markInstant } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command } from './command.ts'

const LABEL_CHARS_MAX = 24

export type Reader = Pick<Command, 't' | 'user'>

/** Amounts below each other under a heading. The shown amounts add up. */
export interface AmountTable {
  heading: string
  rows: readonly AmountRow[]
}

export interface AmountRow {
  amountMicroRub: bigint
  /** The item or the user, after the amount so that wide characters shift nothing. */
  label: string
}

/** Writes the paragraphs of a message; its tables are monospaced. */
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

/** Writes the spending on each kind, the largest first; nothing for a single kind. */
export function describeKinds({ byKind }: Pick<Overview, 'byKind'>, { t }: Reader): AmountTable[] {
  const rows = byKind.map(({ kind, spend }) => ({ ...spend, label: t('spend-kind', { kind }) }))
  return rows.length > 1 ? [{ heading: t('spend-kinds'), rows }] : []
}

/** Writes the spending on each kind and each item. Each table adds up to the sum. */
export function describeParts(
  overview: Pick<Overview, 'byKind' | 'byItem'>,
  { texts }: { texts: Texts },
  reader: Reader,
): AmountTable[] {
  const { languageCode } = reader.user
  const rows = overview.byItem.map(({ item, spend }) => {
    return { ...spend, label: itemText(item, { languageCode, texts }) }
  })
  const items = rows.length > 0 ? [{ heading: reader.t('spend-items'), rows }] : []
  return [...describeKinds(overview, reader), ...items]
}

/** Writes how much of a sum is an estimate, repeated history or written off. */
export function remarksOf(sum: Spend, { t, user }: Reader): string[] {
  const { amountMicroRub, estimatedMicroRub, writtenOffMicroRub, historyMicroRub } = sum
  const amount = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const lines: string[] = []
  if (estimatedMicroRub !== 0n) {
    lines.push(t('spend-estimated', { amount: amount(estimatedMicroRub) }))
  }
  if (historyMicroRub > 0n && historyMicroRub <= amountMicroRub) {
    const percent = Number((historyMicroRub * 100n) / amountMicroRub)
    lines.push(t('spend-history', { amount: amount(historyMicroRub), percent }))
  }
  if (writtenOffMicroRub !== 0n) {
    lines.push(t('spend-written-off', { amount: amount(writtenOffMicroRub) }))
  }
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** Lists the rest of each limit, and the start of its next period. */
export function describeLimits(
  held: readonly HeldLimit[],
  { limitTexts, timeZone }: { limitTexts: LimitTexts; timeZone: string },
  { user: { languageCode }, t }: Reader,
): string[] {
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
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function toLines(rows: readonly AmountRow[], languageCode: string | undefined): string[] {
  const { lines: amounts } = formatSum(
    rows.map(({ amountMicroRub }) => amountMicroRub),
    languageCode,
  )
  const width = Math.max(0, ...amounts.map(({ length }) => length))
  return rows.map(({ label }, index) => {
    // A right-to-left name must not reverse the text around it.
    const shown = `\u2068${shortenLine(label, LABEL_CHARS_MAX)}\u2069`
    return `${(amounts[index] ?? '').padStart(width)}  ${shown}`
  })
}
