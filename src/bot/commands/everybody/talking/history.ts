import type { InlineKeyboardButton } from 'grammy/types'
import { formatInstant } from '../../../locales/dates.ts'
import { shorten, shortenLine } from '../../../locales/shorten.ts'
import { splitFormatted } from '../../../rich-text/entities/split-formatted.ts'
import { findNeeds, formatMarkdown } from '../../../rich-text/format-markdown.ts'
import { layOutMarkdown } from '../../../rich-text/lay-out-markdown.ts'
import { escapeText, writeTextLines } from '../../../rich-text/write/write-text.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import type {
  TranscriptEntry,
  Transcripts,
  TranscriptTurn,
} from '../../../talk/conversation/transcript.ts'
import { standingOf } from '../../../talk/conversation/variants.ts'
import { type Body, MESSAGE_CHARS_MAX } from '../../../telegram/outbox/body.ts'
import type { MessageFormat } from '../../../telegram/outbox/formatting.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import {
  type Cursor,
  fillPage,
  type HistoryPage,
  type HistoryPiece,
  PAGE_TURNS_MAX,
} from './history-pages.ts'

/** The longest page and the longest piece of it, in characters of Markdown. Where there are no rich messages a page becomes a text with bullets, of 4,096 characters at most. */
const PAGE_CHARS = 3_000
const PIECE_CHARS = 2_400
/** A question can be a whole file. */
const QUESTION_CHARS_MAX = 500
const NAME_CHARS_MAX = 60

/** The data of a press below a page: the conversation, which may have been left since, and what the page follows. */
const HISTORY_DATA = /^history:(\d{1,18}):([<>])(\d{1,18})\.(\d{1,4})$/

interface HistoryDeps {
  conversations: Pick<Conversations, 'current' | 'isAt'>
  transcripts: Pick<Transcripts, 'readTurns'>
  timeZone: string
}

type Reader = Pick<Command, 't' | 'user'>

interface Asked {
  id: bigint
  towards: 'older' | 'newer'
  after?: Cursor
}

/**
 * Reads a conversation back, the newest page first, with answers formatted as they were shown; within a page
 * the oldest message stands on top.
 */
export const historyCommand: CommandDefinition<HistoryDeps> = {
  name: 'history',
  audience: 'everybody',
  create: createHistoryPages,
}

function createHistoryPages({ conversations, transcripts, timeZone }: HistoryDeps) {
  return { handle, presses: [{ data: HISTORY_DATA, press }] }

  async function handle({ chatId, threadId, t, user, answer }: Command): Promise<void> {
    const { id } = await conversations.current({ chatId, threadId })
    const page = await readPage({ id, towards: 'older' }, { t, user })
    if (page === undefined) return answer(t('history-empty'))
    await answer(page.body, page)
  }

  async function press(pressed: Press): Promise<void> {
    const { data, t, notify, edit } = pressed
    const [, id = '0', towards, turnId = '0', piece] = HISTORY_DATA.exec(data) ?? []
    const asked = {
      id: BigInt(id),
      towards: towards === '<' ? 'older' : 'newer',
      after: { turnId: BigInt(turnId), piece: Number(piece) },
    } as const
    const isHere = await conversations.isAt(asked.id, pressed)
    const page = isHere ? await readPage(asked, pressed) : undefined
    if (page === undefined) return notify(t('history-gone'))
    await notify()
    await edit(page.body, page)
  }

  async function readPage({ id, towards, after }: Asked, reader: Reader) {
    const turns = await transcripts.readTurns(id, {
      towards,
      ...(after !== undefined && { from: after.turnId }),
      take: PAGE_TURNS_MAX + 1,
    })
    const cut = (turn: TranscriptTurn) => cutTurn(turn, reader)
    const page = fillPage(turns, { after, towards, charsMax: PAGE_CHARS, cut })
    if (page === undefined) return undefined
    const markdown = page.pieces.map((piece) => piece.markdown).join('\n\n')
    return {
      body: (format: MessageFormat) => toBody(markdown, format),
      keyboard: { inline_keyboard: turnsOf(page, { id, t: reader.t }) },
    }
  }

  function cutTurn({ id: turnId, entries }: TranscriptTurn, reader: Reader): HistoryPiece[] {
    const texts: string[] = []
    let lead: string[] = []
    for (const entry of entries) {
      const head = headOf(entry, reader)
      // A summary is what the model wrote, too.
      if (entry.role !== 'user') {
        const { parts } = layOutMarkdown(entry.content, {
          isInterim: false,
          partChars: PIECE_CHARS,
        })
        texts.push(...parts.map(({ markdown }) => markdown))
        texts[0] = [...lead, head, texts[0] ?? ''].join('\n\n')
        lead = []
      } else {
        const question = shorten(entry.content.trim(), QUESTION_CHARS_MAX)
        lead.push(head, writeTextLines(question))
      }
    }
    return texts.map((markdown, piece) => ({ turnId, piece, markdown }))
  }

  function headOf(entry: TranscriptEntry, { t, user }: Reader): string {
    const { role, firstName, model, createdAt } = entry
    const name = shortenLine((role === 'user' ? firstName : model) ?? '', NAME_CHARS_MAX) || '–'
    const summary = role === 'system' ? [t('history-summary')] : []
    const at = formatInstant(createdAt, { languageCode: user.languageCode, timeZone })
    const standing = standingOf(entry).map(({ key, variables }) => t(key, variables))
    const words = [name, ...summary, at, ...standing].join(', ')
    return `**${escapeText(words, { isOneLine: true })}**`
  }
}

function turnsOf(
  { pieces, hasOlder, hasNewer }: HistoryPage,
  { id, t }: { id: bigint; t: Command['t'] },
): InlineKeyboardButton[][] {
  const [first, last] = [pieces[0], pieces.at(-1)]
  const dataOf = (sign: string, cursor: Cursor | undefined) =>
    `history:${id}:${sign}${cursor?.turnId}.${cursor?.piece}`
  const turns = [
    ...(hasOlder ? [{ text: t('history-older'), callback_data: dataOf('<', first) }] : []),
    ...(hasNewer ? [{ text: t('history-newer'), callback_data: dataOf('>', last) }] : []),
  ]
  return turns.length > 0 ? [turns] : []
}

function toBody(markdown: string, format: MessageFormat): Body {
  const isRich = format === 'rich' || (format === 'auto' && findNeeds(markdown).length > 0)
  if (isRich) return { markdown }
  const [body = { text: '–' }] = splitFormatted(formatMarkdown(markdown), {
    charsMax: MESSAGE_CHARS_MAX,
  })
  return format === 'none' ? { text: body.text } : body
}
