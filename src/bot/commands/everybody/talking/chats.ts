import type { ConversationList } from '../../../talk/conversation/conversation-list.ts'
import {
  type ConversationSizeDeps,
  measureIfKnown,
} from '../../../talk/conversation/conversation-size.ts'
import { titleOf } from '../../../talk/conversation/conversation-title.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import type { Naming } from '../../../talk/conversation/naming.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import {
  CHATS_PAGE_DATA,
  ENTER_DATA,
  enteredView,
  NAME_DATA,
  pageView,
  shortWords,
} from './chats-views.ts'

interface ChatsDeps extends Omit<ConversationSizeDeps, 'conversations'> {
  conversations: Pick<Conversations, 'current' | 'enter'>
  conversationList: ConversationList
  naming: Pick<Naming, 'ask'>
  timeZone: string
}

/**
 * Lists a thread's conversations, ten on a page, and goes back to one of them. In a group everybody may, as
 * everybody may begin a new one there.
 */
export const chatsCommand: CommandDefinition<ChatsDeps> = {
  name: 'chats',
  audience: 'everybody',
  listed: 'in_private',
  usage: '[words]',
  create: createChatsCommand,
}

function createChatsCommand(deps: ChatsDeps) {
  const { conversations, conversationList: list, naming, timeZone } = deps
  const presses = [
    { data: CHATS_PAGE_DATA, press: turnPage },
    { data: ENTER_DATA, press: enter },
    { data: NAME_DATA, press: name },
  ]
  return { handle, presses }

  async function handle(command: Command): Promise<void> {
    const { argument: words, t, answer } = command
    const isSearch = words !== ''
    const page = isSearch ? await list.search(command, words) : await list.readPage(command, 0)
    if (page.conversations.length === 0) {
      return answer(isSearch ? t('chats-not-found', { words: shortWords(words) }) : t('chats-none'))
    }
    const found = isSearch ? words : undefined
    const { text, keyboard } = pageView(page, await around(command, found))
    await answer(text, { keyboard })
  }

  async function turnPage(pressed: Press): Promise<void> {
    const { data, t, notify, edit } = pressed
    const page = await list.readPage(pressed, Number(CHATS_PAGE_DATA.exec(data)?.[1]))
    if (page.conversations.length === 0) return notify(t('chats-gone'))
    await notify()
    const { text, keyboard } = pageView(page, await around(pressed, undefined))
    await edit(text, { keyboard })
  }

  async function enter(pressed: Press): Promise<void> {
    const { chatId, threadId, data, t, notify, edit } = pressed
    const thread = { chatId, threadId }
    const id = BigInt(ENTER_DATA.exec(data)?.[1] ?? '')
    const entered = await list.find(thread, id)
    if (entered === undefined || !(await conversations.enter(thread, id))) {
      return notify(t('chats-gone'))
    }
    await notify()
    const { text, keyboard } = enteredView(entered, {
      lastQuestion: await list.readLastQuestion(id),
      size: await measureIfKnown(thread, deps),
      reader: { t, user: pressed.user, timeZone },
    })
    await edit(text, { keyboard })
  }

  async function name(pressed: Press): Promise<void> {
    const { chatId, threadId, data, user, t, notify } = pressed
    const thread = { chatId, threadId }
    const named = await list.find(thread, BigInt(NAME_DATA.exec(data)?.[1] ?? ''))
    if (named === undefined) return notify(t('chats-gone'))
    await notify()
    await naming.ask({ ...thread, id: named.id, title: titleOf(named), user })
  }

  async function around(asked: Command | Press, words: string | undefined) {
    const { t, user, hasTopics } = asked
    const { id: currentId } = await conversations.current(asked)
    const remarks = hasTopics ? [t('chats-topics')] : []
    return { currentId, words, remarks, reader: { t, user, timeZone } }
  }
}
