import type { Message } from 'grammy/types'
import type { UnseenKind } from '../../../platform/database/generated/enums.ts'
import type { ChatThread, Me, Sender } from '../../telegram/addressing.ts'
import { type Prompt, toPrompt } from '../../telegram/prompt.ts'
import type { Outbox } from '../../telegram/send.ts'
import type { Texts } from '../../texts/texts.ts'
import { type GivenFile, readAttachment } from './attachment.ts'
import { FILE_CHARS_MAX, type FileProblem } from './read-apart.ts'
import type { FileReader } from './read-file.ts'

const FENCE_CHARS_MIN = 3

export type ReadPrompt =
  | { type: 'prompt'; prompt: Prompt }
  /** No words and no file that is read; `unseen` is a file that no model can see. */
  | { type: 'nothing'; unseen: UnseenKind | undefined }
  /** A file has no text for the model, so nothing is asked. */
  | { type: 'unread'; problem: FileProblem; name: string }

export interface PromptFacts {
  parts: readonly Message[]
  sender: Sender
  me: Me
}

interface PromptApp {
  isFileInHistory: (thread: ChatThread, fileUniqueId: string) => Promise<boolean>
  files: Pick<FileReader, 'read'>
  outbox: Pick<Outbox, 'typing'>
  texts: Texts
  signal: AbortSignal
}

/** Joins the message's words, its files and those of the message it answers. @throws The reason of the signal. */
export async function readPrompt(
  app: PromptApp,
  message: Message,
  { parts, sender, me }: PromptFacts,
): Promise<ReadPrompt> {
  const { outbox, texts } = app
  const asked = toPrompt(message, { sender, me, texts })
  const own = sortOut(parts.length > 0 ? parts : [message])
  // A sticker below an answer asks nothing about it.
  const isMute = (message.text ?? message.caption) === undefined && own.files.length === 0
  if (isMute) return { type: 'nothing', unseen: own.unseen[0] }
  const answered = sortOut([message.reply_to_message ?? message.external_reply ?? {}])
  const known: GivenFile[] = []
  for (const file of asked.text === '' ? [] : answered.files) {
    if (await app.isFileInHistory(asked, file.fileUniqueId)) known.push(file)
  }
  const fresh = [...own.files, ...answered.files.filter((file) => !known.includes(file))]
  if (asked.text === '' && fresh.length === 0) {
    return { type: 'nothing', unseen: own.unseen[0] ?? answered.unseen[0] }
  }
  // A large file takes seconds.
  if (fresh.length > 0) void outbox.typing(asked.chatId, asked.threadId)
  const read = await readAll(app, fresh, sender.id)
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

async function readAll(
  { files, signal }: PromptApp,
  given: readonly GivenFile[],
  userId: number,
): Promise<{ file: GivenFile; text: string }[] | { problem: FileProblem; file: GivenFile }> {
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

function sortOut(messages: readonly Parameters<typeof readAttachment>[0][]) {
  const attachments = messages.flatMap((message) => readAttachment(message) ?? [])
  return {
    files: attachments.flatMap((one) => (one.type === 'file' ? one.file : [])),
    unseen: attachments.flatMap((one) => (one.type === 'unseen' ? one.kind : [])),
  }
}

/** The fences are longer than any in the text, so that no part of the text can seem to be outside of them. */
function quoteFile(heading: string, text: string): string {
  const longest = Math.max(0, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(Math.max(FENCE_CHARS_MIN, longest + 1))
  return [heading, fence, text, fence].join('\n')
}
