import { dayOf } from '../../../locales/dates.ts'
import type { Texts } from '../../../locales/texts.ts'
import type { ConversationList } from '../../../talk/conversation/conversation-list.ts'
import { titleOf } from '../../../talk/conversation/conversation-title.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import {
  type ExportFormat,
  toFileName,
  toJson,
  toMarkdown,
} from '../../../talk/conversation/export.ts'
import type { Transcripts } from '../../../talk/conversation/transcript.ts'
import type { CommandDefinition } from '../../command.ts'

/** Telegram takes no larger file from a bot. */
const FILE_BYTES_MAX = 50_000_000

const FORMATS: ReadonlyMap<string, { extension: string; write: ExportFormat }> = new Map([
  ['', { extension: 'md', write: toMarkdown }],
  ['markdown', { extension: 'md', write: toMarkdown }],
  ['json', { extension: 'json', write: toJson }],
])

interface ExportDeps {
  conversations: Pick<Conversations, 'current'>
  conversationList: Pick<ConversationList, 'find'>
  transcripts: Pick<Transcripts, 'readTurns' | 'readAll'>
  texts: Texts
  timeZone: string
  now: () => Promise<Date>
}

/**
 * Sends the current conversation as a file. It is read while it is sent, and once before that to
 * know its length, so that a long one is never in memory as a whole.
 */
export const exportCommand: CommandDefinition<ExportDeps> = {
  name: 'export',
  audience: 'everybody',
  usage: '[json]',
  create: ({ conversations, conversationList, transcripts, texts, timeZone, now }) => ({
    async handle({ chatId, threadId, user, argument, t, answer, answerFile }) {
      const format = FORMATS.get(argument.toLowerCase())
      if (format === undefined) return answer(t('export-usage'))
      const { id: conversationId } = await conversations.current({ chatId, threadId })
      const [answered] = await transcripts.readTurns(conversationId, { towards: 'older', take: 1 })
      const listed = await conversationList.find({ chatId, threadId }, conversationId)
      if (answered === undefined || listed === undefined) return answer(t('history-empty'))
      const { languageCode } = user
      const title = titleOf(listed)
      const options = { conversationId, title, texts, languageCode, timeZone, now: await now() }
      const bytes = () => encode(format.write(transcripts.readAll(conversationId), options))
      let length = 0
      for await (const piece of bytes()) length += piece.byteLength
      if (length > FILE_BYTES_MAX) return answer(t('export-too-large'))
      const { extension } = format
      const fileName = toFileName(title, { day: dayOf(listed.at, timeZone), extension })
      await answerFile({ fileName, bytes })
    },
  }),
}

async function* encode(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}
