/** `/history`: a conversation in pages, the newest first, with answers in their original format. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { conversationOf } from '../conversations/conversations.ts'
import {
  readTranscriptTurns,
  type TranscriptEntry,
  type TranscriptTurn,
} from '../conversations/transcript.ts'
import { findNeeds } from '../rich-text/blocks.ts'
import { formatMarkdown, splitFormatted } from '../rich-text/entities.ts'
import { layOutMarkdown } from '../rich-text/layout.ts'
import { escapeText, writeTextLines } from '../rich-text/write-inline.ts'
import type { MessageFormat } from '../telegram/formatting.ts'
import { type Body, MESSAGE_CHARS_MAX } from '../telegram/message.ts'
import { formatInstant } from '../texts/dates.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Command, CommandDefinition, Press } from './command.ts'

interface HistoryApp {
  prisma: PrismaClient
  timeZone: string
}

/** The part of a turn on one page: the question with the beginning of the answer, or a continuation. */
interface Piece {
  turnId: bigint
  index: number
  markdown: string
}

/** The requested page: next to a piece of another page, or the newest. */
interface Asked {
  conversationId: bigint
  towards: 'older' | 'newer'
  after?: Omit<Piece, 'markdown'>
}

/** The most turns read for one page. */
const PAGE_TURNS_MAX = 6
/** The longest page and piece, in characters of Markdown. Without rich messages a page is a text of at most 4,096. */
const PAGE_CHARS = 3_000
const PIECE_CHARS = 2_400
/** A question can be a whole file. */
const QUESTION_CHARS_MAX = 500
const NAME_CHARS_MAX = 60

/** Shows the current conversation; within a page the oldest message comes first. */
export const historyCommand: CommandDefinition<HistoryApp> = {
  name: 'history',
  audience: 'everybody',
  async handle(app, command) {
    const { id: conversationId } = await conversationOf(app, command)
    const page = await readPage(app, { conversationId, towards: 'older' }, command)
    if (page === undefined) return command.answer(command.t('history-empty'))
    await command.answer(...page)
  },
  // The conversation, which the user may have left since, and the piece next to the page.
  presses: [{ data: /^history:(\d{1,18}):([<>])(\d{1,18})\.(\d{1,4})$/, press: turnPage }],
}

async function turnPage(app: HistoryApp, press: Press): Promise<void> {
  const { chatId, threadId, match, t, notify, edit } = press
  const [, id = '0', sign, turnId = '0', index] = match
  const conversationId = BigInt(id)
  const towards = sign === '<' ? 'older' : 'newer'
  const after = { turnId: BigInt(turnId), index: Number(index) }
  const isHere = await app.prisma.conversation.count({
    where: { id: conversationId, chatId, threadId },
  })
  const page = isHere ? await readPage(app, { conversationId, towards, after }, press) : undefined
  if (page === undefined) return notify(t('history-gone'))
  await notify()
  await edit(...page)
}

/** Fills a page with at least one piece next to a given piece. Undefined if none follows. */
async function readPage(app: HistoryApp, asked: Asked, reader: Command | Press) {
  const { conversationId, towards, after } = asked
  const isOlder = towards === 'older'
  const turns = await readTranscriptTurns(app, conversationId, {
    towards,
    ...(after !== undefined && { from: after.turnId }),
    take: PAGE_TURNS_MAX + 1,
  })
  const following = turns.slice(0, PAGE_TURNS_MAX).flatMap((turn) => {
    const pieces = cutTurn(turn, app.timeZone, reader)
    return (isOlder ? pieces.reverse() : pieces).filter((piece) => isBeyond(piece, asked))
  })
  let chars = 0
  const cut = following.findIndex(({ markdown }, index) => {
    chars += markdown.length
    return index > 0 && chars > PAGE_CHARS
  })
  const shown = cut === -1 ? following : following.slice(0, cut)
  if (shown.length === 0) return undefined
  const hasMore = cut !== -1 || turns.length > PAGE_TURNS_MAX
  if (isOlder) shown.reverse()
  const buttonOf = (key: string, sign: '<' | '>', piece: Piece | undefined) => ({
    text: reader.t(key),
    callback_data: `history:${conversationId}:${sign}${piece?.turnId}.${piece?.index}`,
  })
  const buttons: InlineKeyboardButton[] = [
    ...(!isOlder || hasMore ? [buttonOf('history-older', '<', shown[0])] : []),
    ...((isOlder ? after : hasMore) ? [buttonOf('history-newer', '>', shown.at(-1))] : []),
  ]
  const markdown = shown.map((piece) => piece.markdown).join('\n\n')
  const keyboard = { inline_keyboard: buttons.length > 0 ? [buttons] : [] }
  return [(format: MessageFormat) => toBody(markdown, format), { keyboard }] as const
}

function isBeyond({ turnId, index }: Piece, { after, towards }: Asked): boolean {
  if (after === undefined) return true
  if (turnId === after.turnId && index === after.index) return false
  const isOlder = turnId === after.turnId ? index < after.index : turnId < after.turnId
  return isOlder === (towards === 'older')
}

function cutTurn(
  { id: turnId, entries }: TranscriptTurn,
  timeZone: string,
  reader: Command | Press,
): Piece[] {
  const texts: string[] = []
  const lead: string[] = []
  for (const entry of entries) {
    lead.push(headOf(entry, timeZone, reader))
    if (entry.role === 'user') {
      lead.push(writeTextLines(shorten(entry.content.trim(), QUESTION_CHARS_MAX)))
      continue
    }
    const { parts } = layOutMarkdown(entry.content, { isInterim: false, partChars: PIECE_CHARS })
    const [first = '', ...rest] = parts.map(({ markdown }) => markdown)
    texts.push([...lead, first].join('\n\n'), ...rest)
  }
  return texts.map((markdown, index) => ({ turnId, index, markdown }))
}

function headOf(entry: TranscriptEntry, timeZone: string, { t, user }: Command | Press): string {
  const { role, firstName, model, createdAt, isSetAside } = entry
  const name = shortenLine((role === 'user' ? firstName : model) ?? '', NAME_CHARS_MAX) || '–'
  const summary = role === 'system' ? [t('history-summary')] : []
  const at = formatInstant(createdAt, { languageCode: user.languageCode, timeZone })
  const setAside = isSetAside ? [t('history-set-aside')] : []
  const words = [name, ...summary, at, ...setAside].join(', ')
  return `**${escapeText(words, { isOneLine: true })}**`
}

function toBody(markdown: string, format: MessageFormat): Body {
  const isRich = format === 'rich' || (format === 'auto' && findNeeds(markdown).length > 0)
  if (isRich) return { markdown }
  const [body = { text: '–' }] = splitFormatted(formatMarkdown(markdown), {
    charsMax: MESSAGE_CHARS_MAX,
  })
  return format === 'none' ? { text: body.text } : body
}
