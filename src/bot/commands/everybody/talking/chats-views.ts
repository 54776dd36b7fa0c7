import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { markInstant } from '../../../locales/dates.ts'
import { shorten, shortenLine } from '../../../locales/shorten.ts'
import { formatAbout, formatMoney } from '../../../spend/format.ts'
import type {
  ConversationPage,
  ListedConversation,
} from '../../../talk/conversation/conversation-list.ts'
import type { ConversationSize } from '../../../talk/conversation/conversation-size.ts'
import { questionOf, titleOf } from '../../../talk/conversation/conversation-title.ts'
import type { Command } from '../../command.ts'
import { pageTurns } from '../../page-turns.ts'

/** The data of a press on the list: the page, or the conversation that is entered or named. */
export const CHATS_PAGE_DATA = /^chats:(\d{1,6})$/
export const ENTER_DATA = /^chat:(\d{1,18})$/
export const NAME_DATA = /^chat-name:(\d{1,18})$/

const BUTTON_CHARS_MAX = 40
const QUESTION_CHARS_MAX = 300
const WORDS_CHARS_MAX = 60

/** The reader, and their clock. */
export interface ChatsReader extends Pick<Command, 't' | 'user'> {
  timeZone: string
}

interface View {
  text: string
  keyboard: InlineKeyboardMarkup
}

/** A line for each conversation of a page, and a button that goes back to it. */
export function pageView(
  { index, conversations, hasOlder }: ConversationPage,
  {
    currentId,
    words,
    remarks,
    reader,
  }: {
    currentId: bigint
    words: string | undefined
    remarks: readonly string[]
    reader: ChatsReader
  },
): View {
  const { t, user, timeZone } = reader
  const { languageCode } = user
  const lines = conversations.map((conversation, index) =>
    t('chats-line', {
      number: index + 1,
      title: titleOf(conversation),
      cost: formatMoney(conversation.costMicroRub, languageCode),
      at: markInstant(conversation.at, { languageCode, timeZone }),
      current: String(conversation.id === currentId),
    }),
  )
  const buttons = conversations.map((conversation, index) => [
    {
      text: shortenLine(`${index + 1}. ${titleOf(conversation)}`, BUTTON_CHARS_MAX),
      callback_data: `chat:${conversation.id}`,
    },
  ])
  const isSearch = words !== undefined
  const heading = isSearch ? t('chats-found', { words: shortWords(words) }) : t('chats-title')
  const more = isSearch && hasOlder ? [t('chats-found-more')] : []
  const turns = isSearch
    ? []
    : pageTurns({ page: index, hasMore: hasOlder, t }, (page) => `chats:${page}`)
  return {
    text: [heading, ...lines, ...more, ...remarks].join('\n\n'),
    keyboard: { inline_keyboard: [...buttons, ...turns] },
  }
}

/** Goes back to a conversation that was left. */
export function backButton(left: ListedConversation, t: Command['t']): InlineKeyboardButton {
  const title = shortenLine(titleOf(left), BUTTON_CHARS_MAX)
  return { text: t('button-chat-back', { title }), callback_data: `chat:${left.id}` }
}

/** Writes the view of a conversation that was entered again. */
export function enteredView(
  conversation: ListedConversation,
  {
    lastQuestion,
    size,
    reader: { t, user },
  }: {
    lastQuestion: string | undefined
    size: ConversationSize | undefined
    reader: ChatsReader
  },
): View {
  const question = shorten(questionOf(lastQuestion ?? '').trim(), QUESTION_CHARS_MAX)
  const paragraphs = [
    t('chat-entered', { title: titleOf(conversation) }),
    ...(question === '' ? [] : [t('chat-last-question', { question })]),
    ...sizeLines(size, { t, user }),
    t('chat-entered-more'),
  ]
  const keyboard = {
    inline_keyboard: [
      [{ text: t('button-chat-name'), callback_data: `chat-name:${conversation.id}` }],
      [{ text: t('button-chats'), callback_data: 'chats:0' }],
    ],
  }
  return { text: paragraphs.join('\n\n'), keyboard }
}

function sizeLines(
  size: ConversationSize | undefined,
  { t, user }: Pick<Command, 't' | 'user'>,
): string[] {
  if (size === undefined) return []
  const { model, tokens, costMicroRub } = size
  const length = t('chat-size', { tokens, model })
  if (costMicroRub === undefined) return [length]
  const amount = formatAbout(costMicroRub, user.languageCode)
  return [`${length} ${t('usage-next', { amount })}`]
}

/** Shortens the words of a search for its answer. */
export function shortWords(words: string): string {
  return shortenLine(words, WORDS_CHARS_MAX)
}
