/** The names of conversations: their first words or the name that a user gave, and those of topics in private chats. */
import { Composer } from 'grammy'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import {
  type BotContext,
  type ChatThread,
  mentionFirst,
  type Sender,
  threadOf,
  withoutMentions,
} from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import { findConversation, type ListedConversation } from './conversation-list.ts'
import { conversationOf } from './conversations.ts'

export interface NamesApp {
  prisma: PrismaClient
  outbox: Pick<Outbox, 'send' | 'nameTopic'>
  texts: Texts
  log: Logger
}

type AskingApp = Omit<NamesApp, 'outbox'> & { outbox: Pick<Outbox, 'send'> }

/** The longest title, in Unicode code points. */
const TITLE_CHARS_MAX = 64
/** The beginning of a prompt in reply: a lead, the quoted lines below it, and the gap after them. */
const QUOTE = /^[^\n]*\n(?:>[^\n]*(?:\n|$))+\n*/
const FENCE = /\n`{3,}/

/** Returns the name that a user gave a conversation, otherwise its first words. */
export function titleOf({
  title,
  firstWords,
}: Pick<ListedConversation, 'title' | 'firstWords'>): string {
  if (title !== null) return title
  const [paragraph = ''] = questionOf(firstWords)
    .trim()
    .split(/\n\s*\n/)
  return shortenLine(paragraph.replace(/:\s*$/, ''), TITLE_CHARS_MAX)
}

/** Returns the user's own words of a prompt, up to a file or code; the quoted words if it has no own ones. */
export function questionOf(prompt: string): string {
  const question = prompt.replace(QUOTE, '')
  const [words = ''] = question.split(FENCE)
  if (words.trim() !== '') return words
  if (question.trim() !== '') return question
  const quoted = prompt.split('\n').filter((line) => line.startsWith('>'))
  return quoted.map((line) => line.slice(1)).join('\n')
}

/** Asks a user for the name of a conversation: each reply to that message names it. */
export async function askForName(
  app: AskingApp,
  conversation: ChatThread & ListedConversation,
  user: Sender,
): Promise<void> {
  const { id, chatId, threadId } = conversation
  const { languageCode } = user
  const { name, entities } = mentionFirst(user)
  const title = titleOf(conversation)
  const text = app.texts.t(languageCode, 'chat-name-ask', { name, title })
  const replyHint = app.texts.t(languageCode, 'chat-name-hint')
  const asked = await sendOnce(app, { chatId, threadId, text, entities, replyHint })
  if (asked === undefined) return
  const data = { namingMessageId: asked.messageId }
  await app.prisma.conversation.updateMany({ where: { id, chatId, threadId }, data })
}

/** Handles the replies that name a conversation, and records how topics of private chats are opened and named. */
export function listenToNames(app: NamesApp): Composer<BotContext> {
  const { prisma, texts } = app
  const composer = new Composer<BotContext>()
  composer.on('message:text', async ({ message, me, sender }, next) => {
    const { reply_to_message: asking, chat, text } = message
    const words = chat.type === 'private' ? text : withoutMentions(message, me)
    const title = shortenLine(words, TITLE_CHARS_MAX)
    if (asking === undefined || title === '') return next()
    const where = { ...threadOf(message), namingMessageId: asking.message_id }
    const data = { title, titleAuthorId: sender.id }
    if ((await prisma.conversation.updateMany({ where, data })).count === 0) return next()
    const named = texts.t(sender.languageCode, 'chat-named', { title })
    await sendOnce(app, { ...threadOf(message), text: named })
  })
  const inPrivate = composer.chatType('private')
  inPrivate.on('message:forum_topic_created', async ({ message }) => {
    if (!message.forum_topic_created.is_name_implicit) return
    const { id } = await conversationOf(app, threadOf(message))
    await prisma.conversation.updateMany({ where: { id }, data: { namesTopic: true } })
  })
  inPrivate.on('message:forum_topic_edited', ({ message }) => topicIsNamed(app, threadOf(message)))
  return composer
}

/** Names a private chat's topic that its user opened without a name, after the first question there. */
export async function nameTopic(app: NamesApp, { chatId, threadId }: ChatThread): Promise<void> {
  if (threadId === 0 || chatId < 0) return
  const where = { chatId, threadId, namesTopic: true }
  const waiting = await app.prisma.conversation.findFirst({ where })
  const asked = waiting && (await findConversation(app, { chatId, threadId }, waiting.id))
  if (!asked) return
  await app.outbox.nameTopic({ chatId, threadId }, titleOf(asked))
  await topicIsNamed(app, { chatId, threadId })
}

async function topicIsNamed({ prisma }: Pick<NamesApp, 'prisma'>, thread: ChatThread) {
  const where = { ...thread, namesTopic: true }
  await prisma.conversation.updateMany({ where, data: { namesTopic: false } })
}

/** Sends a message that may be lost: the button can be pressed once more. */
function sendOnce({ outbox, log }: AskingApp, message: Parameters<Outbox['send']>[0]) {
  const once = { chatId: message.chatId, ifLost: 'naming maybe not shown', log }
  return sendBestEffort(() => outbox.send(message), once)
}
