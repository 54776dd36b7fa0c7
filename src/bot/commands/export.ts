/** `/export`: the current conversation as a file, in Markdown for people or in JSON for programs. */
import { formatRub } from '../../contract/money.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { findConversation, titleOf } from '../conversations/conversation-list.ts'
import { conversationOf } from '../conversations/conversations.ts'
import {
  readTranscript,
  readTranscriptTurns,
  type TranscriptEntry,
} from '../conversations/transcript.ts'
import { escapeText } from '../rich-text/write-inline.ts'
import { formatMoney } from '../spend/format.ts'
import { dayOf, formatInstant } from '../texts/dates.ts'
import type { Command, CommandDefinition } from './command.ts'

interface ExportApp {
  prisma: PrismaClient
  timeZone: string
  now: () => Promise<Date>
}

interface Exported extends Pick<Command, 't' | 'user'> {
  conversationId: bigint
  title: string
  timeZone: string
  now: Date
}

type ExportFormat = (
  entries: AsyncIterable<TranscriptEntry>,
  exported: Exported,
) => AsyncGenerator<string, void>

/** Telegram accepts no larger file from a bot. */
const FILE_BYTES_MAX = 50_000_000
/** Characters that some file systems refuse, and invisible characters. */
const REFUSED = /[\p{C}\\/:*?"<>|]/gu

const FORMATS: ReadonlyMap<string, { extension: string; write: ExportFormat }> = new Map([
  ['', { extension: 'md', write: toMarkdown }],
  ['markdown', { extension: 'md', write: toMarkdown }],
  ['json', { extension: 'json', write: toJson }],
])

/**
 * Sends the current conversation as a file.
 *
 * Streams it twice, first for its length, so that a long conversation is never whole in memory.
 */
export const exportCommand: CommandDefinition<ExportApp> = {
  name: 'export',
  audience: 'everybody',
  usage: '[json]',
  async handle(app, command) {
    const { user, argument, t, answer, answerFile } = command
    const format = FORMATS.get(argument.toLowerCase())
    if (format === undefined) return answer(t('export-usage'))
    const { id: conversationId } = await conversationOf(app, command)
    const [answered] = await readTranscriptTurns(app, conversationId, { towards: 'older', take: 1 })
    const listed = await findConversation(app, command, conversationId)
    if (answered === undefined || listed === undefined) return answer(t('history-empty'))
    const { timeZone } = app
    const title = titleOf(listed)
    const exported = { conversationId, title, t, user, timeZone, now: await app.now() }
    const bytes = () => encode(format.write(readTranscript(app, conversationId), exported))
    let length = 0
    for await (const piece of bytes()) length += piece.byteLength
    if (length > FILE_BYTES_MAX) return answer(t('export-too-large'))
    const { extension } = format
    const fileName = toFileName(title, { day: dayOf(listed.at, timeZone), extension })
    await answerFile({ fileName, bytes })
  },
}

async function* encode(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}

async function* toMarkdown(
  entries: AsyncIterable<TranscriptEntry>,
  { title, t, user: { languageCode }, timeZone, now }: Exported,
): AsyncGenerator<string, void> {
  const instant = (at: Date) => formatInstant(at, { languageCode, timeZone })
  // Without a byte order mark some Windows programs misread Cyrillic.
  yield '\ufeff'
  yield `# ${escapeText(title, { isOneLine: true })}\n\n`
  yield `${t('export-title', { at: instant(now) })}\n`
  for await (const entry of entries) {
    const { costMicroRub, promptTokens, completionTokens } = entry
    const facts = [
      instant(entry.createdAt),
      ...(entry.isSetAside ? [t('history-set-aside')] : []),
      ...(promptTokens !== null && completionTokens !== null
        ? [t('export-tokens', { promptTokens, completionTokens })]
        : []),
      ...(costMicroRub === null ? [] : [formatMoney(costMicroRub, languageCode)]),
    ]
    yield `\n## ${nameOf(entry)} · ${facts.join(' · ')}\n\n${entry.content}\n`
  }

  function nameOf({ role, turnId, firstName, model }: TranscriptEntry): string {
    if (role === 'system') return t(turnId === null ? 'export-instruction' : 'history-summary')
    return (role === 'user' ? firstName : model)?.replace(/\s+/g, ' ').trim() || '–'
  }
}

async function* toJson(
  entries: AsyncIterable<TranscriptEntry>,
  { conversationId, title, now }: Exported,
): AsyncGenerator<string, void> {
  yield `{\n"conversation_id": ${conversationId},\n"title": ${JSON.stringify(title)},\n"exported_at": "${now.toISOString()}",\n"messages": [`
  let separator = '\n'
  for await (const entry of entries) {
    const { role, turnId, firstName, content, createdAt, model, costMicroRub } = entry
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
      set_aside: entry.isSetAside,
    }
    yield separator + JSON.stringify(message)
    separator = ',\n'
  }
  yield '\n]\n}\n'
}

/** Names a file after a conversation and a day such as "2026-11-21". */
export function toFileName(
  title: string,
  { day, extension }: { day: string; extension: string },
): string {
  const words = title.normalize().replace(REFUSED, ' ').replace(/\s+/g, ' ')
  // A leading point hides a file, and some systems reject a trailing point.
  const name = words.replace(/^[\s.]+|[\s.]+$/g, '')
  return `${name === '' ? '' : `${name} `}${day}.${extension}`
}
