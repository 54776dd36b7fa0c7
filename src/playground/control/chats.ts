import type { Chat } from 'grammy/types'
import type { MethodDeps } from '../methods/method.ts'
import type { BotStatus, Person, StoredChat } from '../state.ts'
import { toBotMember } from '../world/bot.ts'
import { addServiceMessage } from '../world/to-message.ts'
import { hasTopics } from '../world/world.ts'

const ICON_COLOR = 7_322_096
const TOPIC_NAME = 'New topic'

export interface GivenUser {
  id: number
  firstName: string
  username?: string
  languageCode?: string
  /** False if the user has not pressed Start: the bot may not write first. Default true. */
  started?: boolean
}

/** A group; a supergroup if its id begins with -100. */
export interface GivenGroup {
  id: number
  title: string
  members: readonly number[]
  username?: string
  /** Has topics beside General. Supergroups only. */
  isForum?: boolean
  /** Default `member`. */
  botStatus?: BotStatus
}

/** Users and chats, and the bot's membership: blocked by people, thrown out of groups, moved with them. */
export function createChats(deps: Pick<MethodDeps, 'world' | 'queue'>) {
  const { world, queue } = deps
  return {
    addUser,
    addGroup,
    hasUser: (userId: number) => world.people.has(userId),
    addTopic,
    renamesTopic,
    topicName: (chatId: number, threadId: number) => topicOf(chatId, threadId).name,
    deletesTopic,
    setsLanguage,
    blocks: (userId: number) => setBlocked(userId, true),
    unblocks: (userId: number) => setBlocked(userId, false),
    deactivates,
    setBotStatus,
    migrates,
  }

  function addUser(given: GivenUser): void {
    const { id, firstName, username, languageCode, started = true } = given
    if (world.people.has(id)) throw new RangeError(`Cannot add user: ${id} is there`)
    const name = { first_name: firstName, ...(username !== undefined && { username }) }
    const language = languageCode === undefined ? {} : { language_code: languageCode }
    const user = { id, is_bot: false, ...name, ...language }
    world.people.set(id, { user, started, blockedBot: false, deactivated: false })
    world.addChat({ id, type: 'private', ...name }, { members: [id] })
    world.emitPerson(id)
  }

  function addGroup(group: GivenGroup): void {
    const { id, title, username, isForum } = group
    if (id >= 0) throw new RangeError(`Cannot add group: id ${id} is not negative`)
    const isBasic = id > -1e12
    if (isForum && isBasic) throw new RangeError('Only supergroups have topics')
    group.members.forEach(world.personOf)
    const facts = {
      ...(username !== undefined && { username }),
      ...(isForum && { is_forum: true as const }),
    }
    const shown: Chat = isBasic
      ? { id, type: 'group', title }
      : { id, type: 'supergroup', title, ...facts }
    world.addChat(shown, group)
    world.emitChat(id)
  }

  /**
   * @param name Telegram makes one up if a person gives none.
   * @param userId The creator of the topic; default: the creator of the chat.
   * @returns The id of the thread, which is the id of its service message.
   */
  function addTopic(chatId: number, name?: string, userId?: number): number {
    const chat = world.chatOf(chatId)
    if (!hasTopics(chat, world)) throw new Error(`Cannot add topic: chat ${chatId} has none`)
    const implicit = name === undefined && ({ is_name_implicit: true } as const)
    const created = { name: name ?? TOPIC_NAME, icon_color: ICON_COLOR, ...implicit }
    const threadId = addServiceMessage(deps, chat, { forum_topic_created: created }, { userId })
    chat.topics.set(threadId, { name: created.name })
    world.emitChat(chatId)
    return threadId
  }

  function renamesTopic(chatId: number, threadId: number, name: string): void {
    topicOf(chatId, threadId).name = name
    world.emitChat(chatId)
    addServiceMessage(deps, world.chatOf(chatId), { forum_topic_edited: { name } }, { threadId })
  }

  /** Deletes a topic with its messages. Bots get no update. */
  function deletesTopic(chatId: number, threadId: number): void {
    const chat = world.chatOf(chatId)
    if (!chat.topics.delete(threadId)) throw new Error(`Cannot delete: no topic ${threadId}`)
    for (const message of [...chat.messages.values()]) {
      if (message.threadId === threadId || message.id === threadId) world.remove(message)
    }
    world.emitChat(chatId)
  }

  function topicOf(chatId: number, threadId: number) {
    const topic = world.chatOf(chatId).topics.get(threadId)
    if (topic === undefined) throw new Error(`Chat ${chatId} has no topic ${threadId}`)
    return topic
  }

  function setsLanguage(userId: number, languageCode: string): void {
    const person = world.personOf(userId)
    person.user = { ...person.user, language_code: languageCode }
    world.emitPerson(userId)
  }

  function setBlocked(userId: number, blocked: boolean): void {
    const person = world.personOf(userId)
    if (person.blockedBot === blocked) return
    person.blockedBot = blocked
    world.emitPerson(userId)
    const chat = world.chatOf(userId)
    if (blocked) enqueueMembership(chat, person, 'member', 'kicked')
    else enqueueMembership(chat, person, 'kicked', 'member')
  }

  /** Bots get no update: they find out when they write. */
  function deactivates(userId: number): void {
    world.personOf(userId).deactivated = true
    world.emitPerson(userId)
  }

  function setBotStatus(chatId: number, status: BotStatus): void {
    const chat = world.chatOf(chatId)
    const before = chat.botStatus
    chat.botStatus = status
    world.emitChat(chatId)
    const [by] = chat.members
    if (by === undefined || before === status) return
    enqueueMembership(chat, world.personOf(by), before, status)
    const wasOut = before === 'left' || before === 'kicked'
    const isIn = status !== 'left' && status !== 'kicked'
    if (wasOut && isIn) addServiceMessage(deps, chat, { new_chat_members: [world.bot] })
  }

  function migrates(chatId: number, supergroupId: number): void {
    const chat = world.chatOf(chatId)
    const { title = '' } = chat.shown
    const moved = world.addChat({ id: supergroupId, type: 'supergroup', title }, chat)
    addServiceMessage(deps, chat, { migrate_to_chat_id: supergroupId })
    chat.migratedTo = supergroupId
    addServiceMessage(deps, moved, { migrate_from_chat_id: chatId }, { senderChat: moved.shown })
  }

  function enqueueMembership(
    chat: StoredChat,
    by: Person,
    before: BotStatus,
    after: BotStatus,
  ): void {
    queue.enqueue({
      my_chat_member: {
        chat: chat.shown,
        from: by.user,
        date: world.unixTime(),
        old_chat_member: toBotMember(before, world.bot),
        new_chat_member: toBotMember(after, world.bot),
      },
    })
  }
}

export type Chats = ReturnType<typeof createChats>
