import type { World } from '../world/world.ts'
import type { ChatMaker } from './chat-maker.ts'

const PEOPLE_FROM = 1001
const GROUPS_FROM = -1_000_000_000_001

/** Brings in people and groups that come without ids of their own. */
export function createNewPeople(world: World, { addUser, addGroup }: ChatMaker) {
  return { newPerson, newGroup, renamesPerson }

  /** @returns Their id. They have not pressed Start. */
  function newPerson(given: { firstName: string; languageCode?: string | undefined }): number {
    let id = PEOPLE_FROM
    while (world.people.has(id)) id++
    const { firstName, languageCode } = given
    addUser({ id, firstName, ...(languageCode !== undefined && { languageCode }), started: false })
    return id
  }

  /** @returns The id of the supergroup. */
  function newGroup(given: {
    title: string
    isForum: boolean
    members: readonly number[]
    botStatus: 'member' | 'administrator'
  }): number {
    let id = GROUPS_FROM
    while (world.chats.has(id)) id--
    addGroup({ id, ...given })
    return id
  }

  /** Bots learn of it from the next message. */
  function renamesPerson(
    userId: number,
    {
      firstName,
      languageCode,
    }: { firstName?: string | undefined; languageCode?: string | undefined },
  ): void {
    const person = world.personOf(userId)
    const chat = world.chatOf(userId)
    const name = firstName === undefined ? {} : { first_name: firstName }
    const language = languageCode === undefined ? {} : { language_code: languageCode }
    person.user = { ...person.user, ...name, ...language }
    if (chat.shown.type === 'private') chat.shown = { ...chat.shown, ...name }
    world.emitPerson(userId)
  }
}

export type NewPeople = ReturnType<typeof createNewPeople>
