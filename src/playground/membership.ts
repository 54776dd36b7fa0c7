import type { ChatMember } from 'grammy/types'
import { unixTime } from './clock.ts'
import type { House } from './methods/method.ts'
import { type BotStatus, type Person, type Room, toChat, toUser } from './world.ts'

/** How the bot comes and goes: blocked by people, thrown out of groups, moved with them. */
export function createMembership({ world, queue, clock }: House) {
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

  /** The rights of an administrator are not built, so becoming one makes no update. */
  function setBotStatus(chatId: number, status: BotStatus): void {
    const room = world.roomOf(chatId)
    const before = room.botStatus
    room.botStatus = status
    const [by] = room.members
    if (by === undefined || before === 'administrator' || status === 'administrator') return
    if (before !== status) tellBot(room, world.personOf(by), before, status)
  }

  function migrates(chatId: number, supergroupId: number): void {
    const { title, members } = world.roomOf(chatId)
    world.addRoom({ id: supergroupId, type: 'supergroup', title, members })
    world.roomOf(chatId).migratedTo = supergroupId
  }

  function tellBot(
    room: Room,
    by: Person,
    before: Exclude<BotStatus, 'administrator'>,
    after: Exclude<BotStatus, 'administrator'>,
  ): void {
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

  function toMember(status: Exclude<BotStatus, 'administrator'>): ChatMember {
    const user = world.bot
    return status === 'kicked' ? { status, user, until_date: 0 } : { status, user }
  }
}

export type Membership = ReturnType<typeof createMembership>
