import type { Message } from 'grammy/types'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { UnseenKind } from '../../../platform/database/generated/enums.ts'
import { isFileInHistory } from '../../conversations/history.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Me } from '../../telegram/addressing/address.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { Sender } from '../../telegram/addressing/sender.ts'
import { type Prompt, toPrompt } from '../../telegram/addressing/to-prompt.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { readAttachment } from './attachment.ts'
import { FILE_CHARS_MAX, type FileProblem } from './file-text.ts'
import type { FileReader, GivenFile } from './read-file.ts'

const FENCE_CHARS_MIN = 3

/** A message as a prompt, or the reason why it is none. */
export type ReadPrompt =
  | { type: 'prompt'; prompt: Prompt }
  /** It has no words and no file that is read, only one that no model can see, if any. */
  | { type: 'nothing'; unseen: UnseenKind | undefined }
  /** A file of it has no text for the model, and so nothing is asked. */
  | { type: 'unread'; problem: FileProblem; name: string }

export interface PromptReaderDeps {
  prisma: Pick<PrismaClient, 'conversation' | 'turn'>
  files: FileReader
  outbox: Pick<Outbox, 'typing'>
  texts: Texts
  signal: AbortSignal
}

/** Makes prompts of messages: their words, and the text of the files in them and of the one they answer. */
export function createPromptReader(deps: PromptReaderDeps) {
  const { prisma, files, outbox, texts, signal } = deps
  return { readPrompt }

  /**
   * The words stand first, and after them each file under its name.
   *
   * @param parts The messages of which the prompt consists, where they are several.
   * @throws The reason of the signal.
   */
  async function readPrompt(
    message: Message,
    { parts, sender, me }: { parts: readonly Message[]; sender: Sender; me: Me },
  ): Promise<ReadPrompt> {
    const asked = toPrompt(message, { sender, me, texts })
    const own = sortOut(parts.length > 0 ? parts : [message])
    // A sticker below an answer asks nothing about it.
    const isMute = (message.text ?? message.caption) === undefined && own.files.length === 0
    if (isMute) return { type: 'nothing', unseen: own.unseen[0] }
    const answered = sortOut([message.reply_to_message ?? message.external_reply ?? {}])
    const known = asked.text === '' ? [] : await findKnown(asked, answered.files)
    const fresh = [...own.files, ...answered.files.filter((file) => !known.includes(file))]
    if (asked.text === '' && fresh.length === 0) {
      return { type: 'nothing', unseen: own.unseen[0] ?? answered.unseen[0] }
    }
    // A large one takes seconds.
    if (fresh.length > 0) void outbox.typing(asked.chatId, asked.threadId)
    const read = await readAll(fresh, sender.id)
    const t = (key: string, variables?: Record<string, string>) =>
      texts.t(sender.languageCode, key, variables)
    const nameOf = ({ name }: GivenFile) => name || t('file-nameless')
    if ('problem' in read) return { type: 'unread', ...read, name: nameOf(read.file) }
    const pieces = [
      asked.text,
      ...own.unseen.map((kind) => t('prompt-unseen', { kind })),
      ...answered.unseen.map((kind) => t('prompt-unseen-answered', { kind })),
      ...known.map((file) => t('prompt-known-file', { name: nameOf(file) })),
      ...read.map(({ file, text }) => quoteFile(t('prompt-file', { name: nameOf(file) }), text)),
    ]
    // A whole album has each of these lines once.
    const text = [...new Set(pieces)].filter((piece) => piece !== '').join('\n\n')
    const fileIds = fresh.map(({ fileUniqueId }) => fileUniqueId)
    return { type: 'prompt', prompt: { ...asked, text, unseen: own.unseen[0], fileIds } }
  }

  async function findKnown(
    thread: ChatThread,
    answered: readonly GivenFile[],
  ): Promise<GivenFile[]> {
    const known: GivenFile[] = []
    for (const file of answered) {
      if (await isFileInHistory(prisma, thread, file.fileUniqueId)) known.push(file)
    }
    return known
  }

  async function readAll(given: readonly GivenFile[], userId: number) {
    const read: { file: GivenFile; text: string }[] = []
    let charsMax = FILE_CHARS_MAX
    for (const file of given) {
      const found = await files.read(file, { signal, charsMax, userId })
      if (found.status !== 'ok') return { problem: found.status, file }
      read.push({ file, text: found.text })
      charsMax -= found.text.length
    }
    return read
  }
}

export type PromptReader = ReturnType<typeof createPromptReader>

function sortOut(messages: readonly Parameters<typeof readAttachment>[0][]) {
  const attachments = messages.flatMap((message) => readAttachment(message) ?? [])
  return {
    files: attachments.flatMap((one) => (one.type === 'file' ? one.file : [])),
    unseen: attachments.flatMap((one) => (one.type === 'unseen' ? one.kind : [])),
  }
}

/**
 * Writes a file as the model reads it: its heading, and the text between fences that are longer than any in it, so
 * that nothing in the text can seem to stand outside of it.
 */
function quoteFile(heading: string, text: string): string {
  const longest = Math.max(0, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(Math.max(FENCE_CHARS_MIN, longest + 1))
  return [heading, fence, text, fence].join('\n')
}
