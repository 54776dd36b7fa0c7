import type { BotStatus, World } from '../world/world.ts'

/** A user, who gets a private chat with the bot. */
export interface GivenUser {
  id: number
  firstName: string
  username?: string
  languageCode?: string
  /** Pressed Start before, which is the default. Without, the bot may not write first. */
  started?: boolean
}

/** A group; a supergroup if its id begins with -100. */
export interface GivenGroup {
  id: number
  title: string
  members: readonly number[]
  /** Of a public supergroup. */
  username?: string
  /** Has topics beside General. Supergroups only. */
  isForum?: boolean
  /** A member by default. */
  botStatus?: BotStatus
}

export type GivenChannel = Omit<GivenGroup, 'isForum'>

/** Brings users and chats into the world. */
export function createChatMaker(world: World) {
  return {
    addUser,
    addGroup,
    addChannel,
    hasUser: (userId: number) => world.people.has(userId),
  }

  function addUser(user: GivenUser): void {
    if (world.people.has(user.id)) throw new RangeError(`Cannot add user: ${user.id} is there`)
    const { started = true, ...person } = user
    world.people.set(user.id, { ...person, started, blockedBot: false, deactivated: false })
    world.addChat({ id: user.id, type: 'private', title: user.firstName, members: [user.id] })
  }

  function addGroup(group: GivenGroup): void {
    if (group.id >= 0) throw new RangeError(`Cannot add group: id ${group.id} is not negative`)
    const type = group.id <= -1e12 ? 'supergroup' : 'group'
    if (group.isForum && type === 'group') throw new RangeError('Only supergroups have topics')
    group.members.forEach(world.personOf)
    world.addChat({ ...group, type })
  }

  /** The bot is an administrator there by default: nothing else can write. */
  function addChannel(channel: GivenChannel): void {
    if (channel.id > -1e12) throw new RangeError('The id of a channel begins with -100')
    channel.members.forEach(world.personOf)
    world.addChat({ botStatus: 'administrator', ...channel, type: 'channel' })
  }
}

export type ChatMaker = ReturnType<typeof createChatMaker>
