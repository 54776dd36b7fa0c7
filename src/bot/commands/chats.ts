/** `/chats` and `/new`: lists the conversations of a thread, returns to one of them, and begins a new one. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import {
  type ConversationPage,
  findConversation,
  type ListedConversation,
  readConversationPage,
  searchConversations,
  titleOf,
} from '../conversations/conversation-list.ts'
import {
  beginConversation,
  conversationOf,
  enterConversation,
  readInstruction,
} from '../conversations/conversations.ts'
import { turnButton } from '../conversations/keyboards.ts'
import type { Replies } from '../conversations/replies.ts'
import { formatMoney } from '../spend/format.ts'
import { markInstant } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { pageTurns } from './views.ts'

interface ChatsApp {
  prisma: PrismaClient
  timeZone: string
}

interface NewApp {
  prisma: PrismaClient
  replies: Pick<Replies, 'findRunning'>
  texts: Texts
}

const BUTTON_CHARS_MAX = 40
const WORDS_CHARS_MAX = 60

/** Lists all conversations, or only matching conversations. In a group any member may return to a conversation. */
export const chatsCommand: CommandDefinition<ChatsApp> = {
  name: 'chats',
  audience: 'everybody',
  listed: 'in_private',
  usage: '[words]',
  async handle(app, command) {
    const { argument: words, t, answer } = command
    if (words === '') {
      const page = await readConversationPage(app, command, 0)
      if (page.conversations.length === 0) return answer(t('chats-none'))
      return answer(...(await pageView(app, command, page)))
    }
    const found = await searchConversations(app, command, words)
    const shown = shortenLine(words, WORDS_CHARS_MAX)
    if (found.conversations.length === 0) return answer(t('chats-not-found', { words: shown }))
    await answer(...(await pageView(app, command, found, shown)))
  },
  presses: [
    { data: /^chats:(\d{1,6})$/, press: turnPage },
    { data: /^chat:(\d{1,18})$/, press: enter },
  ],
}

/**
 * Begins a new conversation with the same instruction, and links to the previous one.
 *
 * An answer in progress continues in the previous conversation unless it is stopped.
 */
export const newCommand: CommandDefinition<NewApp> = {
  name: 'new',
  audience: 'everybody',
  listed: 'everywhere',
  async handle(app, command) {
    const { chatId, threadId, hasTopics, user, t, answer } = command
    const { leftId } = await beginConversation(app, command)
    const left = leftId === undefined ? undefined : await findConversation(app, command, leftId)
    const isInstructed = (await readInstruction(app, command)) !== undefined
    const running = await app.replies.findRunning({ chatId, threadId })
    const paragraphs = [
      left === undefined
        ? t('new-conversation')
        : t('new-conversation-kept', { title: titleOf(left) }),
      ...(isInstructed ? [t('new-conversation-instructed')] : []),
      ...(running === undefined ? [] : [t('new-conversation-running')]),
      ...(hasTopics ? [t('chats-topics')] : []),
    ]
    const { languageCode } = user
    const stop = running && turnButton('halt', { id: running.id, languageCode }, app.texts)
    const title = left && shortenLine(titleOf(left), BUTTON_CHARS_MAX)
    const back = left && [
      { text: t('button-chat-back', { title: title ?? '' }), callback_data: `chat:${left.id}` },
    ]
    const buttons = [...(stop?.inline_keyboard ?? []), ...(back ? [back] : [])]
    const keyboard = buttons.length > 0 ? { inline_keyboard: buttons } : undefined
    await answer(paragraphs.join('\n\n'), { keyboard })
  },
}

async function turnPage(app: ChatsApp, press: Press): Promise<void> {
  const page = await readConversationPage(app, press, Number(press.match[1]))
  if (page.conversations.length === 0) return press.notify(press.t('chats-gone'))
  await press.notify()
  await press.edit(...(await pageView(app, press, page)))
}

async function enter(app: ChatsApp, press: Press): Promise<void> {
  const { match, t, notify, edit } = press
  const id = BigInt(match[1] ?? '')
  const entered = await findConversation(app, press, id)
  if (entered === undefined || !(await enterConversation(app, press, id))) {
    return notify(t('chats-gone'))
  }
  await notify()
  const text = t('chat-entered', { title: titleOf(entered) })
  const buttons = [[{ text: t('button-chats'), callback_data: 'chats:0' }]]
  await edit(text, { keyboard: { inline_keyboard: buttons } })
}

async function pageView(
  { prisma, timeZone }: ChatsApp,
  reader: Command | Press,
  { index, conversations, hasOlder }: ConversationPage,
  words?: string,
) {
  const { t, user, hasTopics } = reader
  const { languageCode } = user
  const { id: currentId } = await conversationOf({ prisma }, reader)
  const toLine = (conversation: ListedConversation, position: number) =>
    t('chats-line', {
      number: position + 1,
      title: titleOf(conversation),
      cost: formatMoney(conversation.costMicroRub, languageCode),
      at: markInstant(conversation.at, { languageCode, timeZone }),
      current: String(conversation.id === currentId),
    })
  const buttons = conversations.map((conversation, position) => [
    {
      text: shortenLine(`${position + 1}. ${titleOf(conversation)}`, BUTTON_CHARS_MAX),
      callback_data: `chat:${conversation.id}`,
    },
  ])
  const paragraphs = [
    words === undefined ? t('chats-title') : t('chats-found', { words }),
    ...conversations.map(toLine),
    ...(words !== undefined && hasOlder ? [t('chats-found-more')] : []),
    ...(hasTopics ? [t('chats-topics')] : []),
  ]
  const hasPages = words === undefined
  const turns = pageTurns({ page: index, hasMore: hasOlder, t }, (page) => `chats:${page}`)
  const keyboard = { inline_keyboard: [...buttons, ...(hasPages ? turns : [])] }
  return [paragraphs.join('\n\n'), { keyboard }] as const
}
