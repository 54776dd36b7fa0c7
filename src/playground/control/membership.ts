import type { ChatMember } from 'grammy/types'
import { toBotMember } from '../world/bot.ts'
import { toChat, toUser } from '../world/to-chat.ts'
import type { BotStatus, Person, StoredChat } from '../world/world.ts'
import type { ControlDeps } from './people.ts'
import { addServiceMessage } from './service-messages.ts'

/** How the bot comes and goes: blocked by people, thrown out of groups, moved with them. */
export function createMembership(deps: ControlDeps) {
  const { world, queue } = deps
  return { blocks, unblocks, deactivates, setBotStatus, migrates }

  function blocks(userId: number): void {
    setBlocked(userId, true)
  }

  function unblocks(userId: number): void {
    setBlocked(userId, false)
  }

  function setBlocked(userId: number, blocked: boolean): void {
    const person = world.personOf(userId)
    if (person.blockedBot === blocked) return
    person.blockedBot = blocked
    const [before, after] = blocked
      ? (['member', 'kicked'] as const)
      : (['kicked', 'member'] as const)
    tellBot(world.chatOf(userId), person, before, after)
  }

  /** Bots are not told of it: they find out when they write. */
  function deactivates(userId: number): void {
    world.personOf(userId).deactivated = true
  }

  /** A group that takes the bot in says so in a message too. */
  function setBotStatus(chatId: number, status: BotStatus): void {
    const chat = world.chatOf(chatId)
    const before = chat.botStatus
    chat.botStatus = status
    const [by] = chat.members
    if (by === undefined || before === status) return
    tellBot(chat, world.personOf(by), before, status)
    const wasOut = before === 'left' || before === 'kicked'
    const isIn = status === 'member' || status === 'administrator' || status === 'restricted'
    if (wasOut && isIn && chat.type !== 'channel') {
      addServiceMessage(deps, chat, { new_chat_members: [world.bot] })
    }
  }

  /** Both chats say where the other one is; the old one is closed. */
  function migrates(chatId: number, supergroupId: number): void {
    const chat = world.chatOf(chatId)
    const { title, members, botStatus } = chat
    const moved = world.addChat({ id: supergroupId, type: 'supergroup', title, members, botStatus })
    addServiceMessage(deps, chat, { migrate_to_chat_id: supergroupId })
    chat.migratedTo = supergroupId
    const senderChat = toChat(moved, world.people)
    addServiceMessage(deps, moved, { migrate_from_chat_id: chatId }, { senderChat })
  }

  function tellBot(chat: StoredChat, by: Person, before: BotStatus, after: BotStatus): void {
    const toMember = (status: BotStatus): ChatMember => toBotMember(status, world.bot)
    queue.enqueue({
      my_chat_member: {
        chat: toChat(chat, world.people),
        from: toUser(by),
        date: world.unixTime(),
        old_chat_member: toMember(before),
        new_chat_member: toMember(after),
      },
    })
  }
}

export type Membership = ReturnType<typeof createMembership>
