import { toBotMember } from '../world/bot.ts'
import { addServiceMessage } from '../world/service-messages.ts'
import type { BotStatus, Person, StoredChat } from '../world/world.ts'
import type { ControlDeps } from './people.ts'

/** How the bot comes and goes: blocked by people, thrown out of groups, moved with them. */
export function createMembership(deps: ControlDeps) {
  const { world, queue } = deps
  return {
    blocks: (userId: number) => setBlocked(userId, true),
    unblocks: (userId: number) => setBlocked(userId, false),
    deactivates,
    setBotStatus,
    migrates,
  }

  function setBlocked(userId: number, blocked: boolean): void {
    const person = world.personOf(userId)
    if (person.blockedBot === blocked) return
    person.blockedBot = blocked
    world.emitPerson(userId)
    const chat = world.chatOf(userId)
    if (blocked) tellBot(chat, person, 'member', 'kicked')
    else tellBot(chat, person, 'kicked', 'member')
  }

  /** Bots get no update of it: they find out when they write. */
  function deactivates(userId: number): void {
    world.personOf(userId).deactivated = true
    world.emitPerson(userId)
  }

  /** A group that takes the bot in says so in a message too. */
  function setBotStatus(chatId: number, status: BotStatus): void {
    const chat = world.chatOf(chatId)
    const before = chat.botStatus
    chat.botStatus = status
    world.emitChat(chatId)
    const [by] = chat.members
    if (by === undefined || before === status) return
    tellBot(chat, world.personOf(by), before, status)
    const wasOut = before === 'left' || before === 'kicked'
    const isIn = status !== 'left' && status !== 'kicked'
    if (wasOut && isIn && chat.type !== 'channel') {
      addServiceMessage(deps, chat, { new_chat_members: [world.bot] })
    }
  }

  /** Both chats say where the other one is; the old one is closed. */
  function migrates(chatId: number, supergroupId: number): void {
    const chat = world.chatOf(chatId)
    const { title = '' } = chat.shown
    const moved = world.addChat({ id: supergroupId, type: 'supergroup', title }, chat)
    addServiceMessage(deps, chat, { migrate_to_chat_id: supergroupId })
    chat.migratedTo = supergroupId
    addServiceMessage(deps, moved, { migrate_from_chat_id: chatId }, { senderChat: moved.shown })
  }

  function tellBot(chat: StoredChat, by: Person, before: BotStatus, after: BotStatus): void {
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

export type Membership = ReturnType<typeof createMembership>
