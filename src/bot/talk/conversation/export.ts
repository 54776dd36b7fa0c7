import { formatRub } from '../../../contract/money.ts'
import { formatInstant } from '../../locales/dates.ts'
import type { Texts } from '../../locales/texts.ts'
import { escapeText } from '../../rich-text/write/write-text.ts'
import { formatMoney } from '../../spend/format.ts'
import type { TranscriptEntry } from './transcript.ts'
import { standingOf } from './variants.ts'

/** The characters that some file system refuses, and those that nobody can see. */
const REFUSED = /[\p{C}\\/:*?"<>|]/gu

/** The conversation that is exported, its reader's language and time zone, and the time of the export. */
export interface ExportOptions {
  conversationId: bigint
  title: string
  texts: Texts
  languageCode: string | undefined
  timeZone: string
  now: Date
}

/** Writes a conversation as a file, piece by piece. */
export type ExportFormat = (
  entries: AsyncIterable<TranscriptEntry>,
  options: ExportOptions,
) => AsyncGenerator<string, void>

/** Writes each message under a heading with its sender, its time and an answer's cost; its text is not changed. */
export async function* toMarkdown(
  entries: AsyncIterable<TranscriptEntry>,
  { title, texts, languageCode, timeZone, now }: ExportOptions,
): AsyncGenerator<string, void> {
  const instant = (at: Date) => formatInstant(at, { languageCode, timeZone })
  // Without a byte order mark some programs of Windows take Cyrillic for another encoding.
  yield '\ufeff'
  yield `# ${escapeText(title, { isOneLine: true })}\n\n`
  yield `${texts.t(languageCode, 'export-title', { at: instant(now) })}\n`
  for await (const entry of entries) {
    const { costMicroRub, promptTokens, completionTokens } = entry
    const facts = [
      instant(entry.createdAt),
      ...standingOf(entry).map(({ key, variables }) => texts.t(languageCode, key, variables)),
      ...(promptTokens !== null && completionTokens !== null
        ? [texts.t(languageCode, 'export-tokens', { promptTokens, completionTokens })]
        : []),
      ...(costMicroRub === null ? [] : [formatMoney(costMicroRub, languageCode)]),
    ]
    yield `\n## ${nameOf(entry)} · ${facts.join(' · ')}\n\n${entry.content}\n`
  }

  function nameOf({ role, turnId, firstName, model }: TranscriptEntry): string {
    if (role === 'system') {
      const key = turnId === null ? 'export-instruction' : 'history-summary'
      return texts.t(languageCode, key)
    }
    return (role === 'user' ? firstName : model)?.replace(/\s+/g, ' ').trim() || '–'
  }
}

/** Writes the same for programs: one object, its messages with roles, times, models, tokens and costs. */
export async function* toJson(
  entries: AsyncIterable<TranscriptEntry>,
  { conversationId, title, now }: ExportOptions,
): AsyncGenerator<string, void> {
  yield `{\n"conversation_id": ${conversationId},\n"title": ${JSON.stringify(title)},\n"exported_at": "${now.toISOString()}",\n"messages": [`
  let separator = '\n'
  for await (const entry of entries) {
    const { role, turnId, firstName, content, createdAt, model, costMicroRub, variant } = entry
    const message = {
      role,
      ...(role === 'user' && { name: firstName }),
      content,
      created_at: createdAt,
      ...(role !== 'user' &&
        turnId !== null && {
          model,
          prompt_tokens: entry.promptTokens,
          completion_tokens: entry.completionTokens,
          // A decimal in a string is exact.
          cost_rub: costMicroRub === null ? null : formatRub(costMicroRub),
        }),
      ...(variant !== undefined && { variant: variant.number }),
      set_aside: entry.isSetAside,
    }
    yield separator + JSON.stringify(message)
    separator = ',\n'
  }
  yield '\n]\n}\n'
}

/**
 * Names a file after what it is about, and a day.
 *
 * @param day Such as "2026-11-21".
 */
export function toFileName(
  title: string,
  { day, extension }: { day: string; extension: string },
): string {
  const words = title.normalize().replace(REFUSED, ' ').replace(/\s+/g, ' ')
  // A name that begins with a point is hidden, and some take none at its end.
  const name = words.replace(/^[\s.]+|[\s.]+$/g, '')
  return `${name === '' ? '' : `${name} `}${day}.${extension}`
}
