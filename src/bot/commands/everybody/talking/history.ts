import type { InlineKeyboardButton, MessageEntity } from 'grammy/types'
import type { Conversations } from '../../../conversation/conversations.ts'
import type { TranscriptEntry, Transcripts } from '../../../conversation/transcript.ts'
import { formatInstant } from '../../../dates.ts'
import { shorten, shortenLine } from '../../../shorten.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'

const PAGE_SIZE = 6
/** With names and dates a page stays within the 4,096 characters of a message. */
const TEXT_CHARS_MAX = 500
const NAME_CHARS_MAX = 60

/** What a press below a page says: the conversation, which may have been left since, and the page. */
const HISTORY_DATA = /^history:(\d{1,18}):(\d{1,6})$/

interface HistoryDeps {
  conversations: Pick<Conversations, 'current' | 'isAt'>
  transcripts: Pick<Transcripts, 'readPage'>
  timeZone: string
}

type Reader = Pick<Command, 't' | 'user'>

/** Reads a conversation back, the newest page first; within a page the oldest message stands on top. */
export const historyCommand: CommandDefinition<HistoryDeps> = {
  name: 'history',
  audience: 'everybody',
  create: createHistoryPages,
}

function createHistoryPages({ conversations, transcripts, timeZone }: HistoryDeps) {
  return { handle, presses: [{ data: HISTORY_DATA, press }] }

  async function handle({ chatId, threadId, t, user, answer }: Command): Promise<void> {
    const { id } = await conversations.current({ chatId, threadId })
    const page = await pageOf({ id, index: 0 }, { t, user })
    if (page === undefined) return answer(t('history-empty'))
    await answer(page.text, page)
  }

  async function press(pressed: Press): Promise<void> {
    const { data, t, notify, edit } = pressed
    const [, id = '0', index] = HISTORY_DATA.exec(data) ?? []
    const isHere = await conversations.isAt(BigInt(id), pressed)
    const asked = { id: BigInt(id), index: Number(index) }
    const page = isHere ? await pageOf(asked, pressed) : undefined
    if (page === undefined) return notify(t('history-gone'))
    await notify()
    const { text, entities, keyboard } = page
    await edit({ text, entities }, { keyboard })
  }

  async function pageOf({ id, index }: { id: bigint; index: number }, { t, user }: Reader) {
    const found = await transcripts.readPage(id, { page: index, size: PAGE_SIZE })
    if (found === undefined) return undefined
    const { text, entities } = toText(found.entries, { t, user })
    const turn = (key: 'history-older' | 'history-newer', page: number) => ({
      text: t(key),
      callback_data: `history:${id}:${page}`,
    })
    const turns: InlineKeyboardButton[] = [
      ...(found.hasOlder ? [turn('history-older', index + 1)] : []),
      ...(index > 0 ? [turn('history-newer', index - 1)] : []),
    ]
    return { text, entities, keyboard: { inline_keyboard: turns.length > 0 ? [turns] : [] } }
  }

  function toText(entries: readonly TranscriptEntry[], reader: Reader) {
    const entities: MessageEntity[] = []
    let text = ''
    for (const entry of entries) {
      if (text !== '') text += '\n\n'
      const head = headOf(entry, reader)
      entities.push({ type: 'bold', offset: text.length, length: head.length })
      text += `${head}\n${shorten(entry.content.trim(), TEXT_CHARS_MAX)}`
    }
    return { text, entities }
  }

  function headOf(entry: TranscriptEntry, { t, user }: Reader): string {
    const { role, firstName, model, createdAt, isSetAside } = entry
    const name = shortenLine((role === 'user' ? firstName : model) ?? '', NAME_CHARS_MAX) || '–'
    const at = formatInstant(createdAt, { languageCode: user.languageCode, timeZone })
    const aside = isSetAside ? [t('history-set-aside')] : []
    return [name, at, ...aside].join(', ')
  }
}
