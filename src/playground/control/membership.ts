import type { ChatMember } from 'grammy/types'
import { unixTime } from '../wire/clock.ts'
import { toBotMember } from '../world/bot-member.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import {
  type BotStatus,
  type NewMessage,
  type Person,
  type Room,
  type ServiceFields,
  toChat,
  toUser,
} from '../world/world.ts'
import type { ControlDeps } from './people.ts'

/** How the bot comes and goes: blocked by people, thrown out of groups, moved with them. */
export function createMembership({ world, queue, clock, changes }: ControlDeps) {
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
    tellBot(world.roomOf(userId), person, before, after)
  }

  /** Bots are not told of it: they find out when they write. */
  function deactivates(userId: number): void {
    world.personOf(userId).deactivated = true
  }

  /** A group that takes the bot in says so in a message too. */
  function setBotStatus(chatId: number, status: BotStatus): void {
    const room = world.roomOf(chatId)
    const before = room.botStatus
    room.botStatus = status
    const [by] = room.members
    if (by === undefined || before === status) return
    tellBot(room, world.personOf(by), before, status)
    const wasOut = before === 'left' || before === 'kicked'
    const isIn = status === 'member' || status === 'administrator' || status === 'restricted'
    if (wasOut && isIn && room.type !== 'channel') {
      tellGroup(room, { new_chat_members: [world.bot] })
    }
  }

  /** Both chats say where the other one is; the old one is closed. */
  function migrates(chatId: number, supergroupId: number): void {
    const room = world.roomOf(chatId)
    const { title, members, botStatus } = room
    const moved = world.addRoom({ id: supergroupId, type: 'supergroup', title, members, botStatus })
    tellGroup(room, { migrate_to_chat_id: supergroupId })
    room.migratedTo = supergroupId
    const senderChat = toChat(moved, world.people)
    tellGroup(moved, { migrate_from_chat_id: chatId }, { senderChat })
  }

  /** Every bot in a group hears its service messages. */
  function tellGroup(
    room: Room,
    fields: ServiceFields,
    as: Pick<NewMessage, 'senderChat'> = {},
  ): void {
    const [by] = room.members
    if (by === undefined) return
    const message = world.append({
      chatId: room.id,
      from: world.personOf(by),
      date: unixTime(clock),
      content: { kind: 'service', fields },
      ...as,
    })
    queue.enqueue(toMessageUpdate(toMessage(message, world)))
    changes.emit({ kind: 'sent', chatId: room.id, messageId: message.id })
  }

  function tellBot(room: Room, by: Person, before: BotStatus, after: BotStatus): void {
    const toMember = (status: BotStatus): ChatMember => toBotMember(status, world.bot)
    queue.enqueue({
      my_chat_member: {
        chat: toChat(room, world.people),
        from: toUser(by),
        date: unixTime(clock),
        old_chat_member: toMember(before),
        new_chat_member: toMember(after),
      },
    })
  }
}

export type Membership = ReturnType<typeof createMembership>
