import type { Chat } from 'grammy/types'
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
  /** The username of a public supergroup. */
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

  function addUser(given: GivenUser): void {
    const { id, firstName, username, languageCode, started = true } = given
    if (world.people.has(id)) throw new RangeError(`Cannot add user: ${id} is there`)
    const name = { first_name: firstName, ...named(username) }
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
    const publicFacts = { ...named(username), ...(isForum && { is_forum: true as const }) }
    const shown: Chat = isBasic
      ? { id, type: 'group', title }
      : { id, type: 'supergroup', title, ...publicFacts }
    world.addChat(shown, group)
    world.emitChat(id)
  }

  /** The bot is an administrator there by default: nothing else can write. */
  function addChannel(channel: GivenChannel): void {
    const { id, title, username, members, botStatus = 'administrator' } = channel
    if (id > -1e12) throw new RangeError('The id of a channel begins with -100')
    members.forEach(world.personOf)
    world.addChat({ id, type: 'channel', title, ...named(username) }, { members, botStatus })
  }
}

export type ChatMaker = ReturnType<typeof createChatMaker>

function named(username: string | undefined) {
  return username === undefined ? {} : { username }
}
