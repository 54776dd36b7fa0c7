import { claimDataDir } from '../platform/database/data-dir.ts'
import { MendableError, toListenRefusal } from '../platform/mendable.ts'
import { createPlayground, type Playground, type PlaygroundOptions } from './playground.ts'
import { openStore } from './store.ts'
import { BOT_ID } from './world/bot.ts'

const PEOPLE = [
  { id: 1001, firstName: 'Alex' },
  { id: 1002, firstName: 'Colleague' },
  { id: 1003, firstName: 'Admin' },
]
const TEAM_ID = -1_001_000_000_001
const TOPICS = ['Ideas', 'Videos']

class PlaygroundRefusedError extends MendableError {
  override readonly name = 'PlaygroundRefusedError'
}

/** The options of a playground that a person uses. */
export interface OpenOptions extends Omit<PlaygroundOptions, 'store'> {
  host: string
  port: number
  folder: string
  freeBotId?: number
  log: (line: string) => void
}

/**
 * Opens a playground for a person, in the state of its last stop, and listens. A new playground has people in it.
 *
 * @throws {PlaygroundRefusedError} If another process has its folder.
 * @throws {MendableError} If nothing can listen there.
 */
export async function openPlayground({
  folder,
  freeBotId,
  ...options
}: OpenOptions): Promise<{ playground: Playground; apiRoot: string; pageUrl: string }> {
  const { token, idsFrom, log, host, port } = options
  const bot = token?.split(':')[0] ?? String(freeBotId ?? BOT_ID)
  const claim = await claimDataDir(folder, ['playground', bot]).catch((error: unknown) => {
    if (error instanceof MendableError) throw error
    // Some file systems have no locks, which the claim needs.
    log(`The playground cannot keep other processes from "${folder}": ${String(error)}`)
    return 'unclaimed' as const
  })
  if (claim === undefined) {
    throw new PlaygroundRefusedError(
      `Cannot start: the playground "${folder}" is in use by another process`,
    )
  }
  const store = openStore({ folder, token, freeBotId, idsFrom, log })
  const opened = createPlayground({ ...options, store })
  const close = async () => {
    await opened.close()
    if (claim !== 'unclaimed') await claim.release()
  }
  if (store.isNew) seed(opened)
  try {
    return { playground: { ...opened, close }, ...(await opened.listen()) }
  } catch (error) {
    await close()
    throw toListenRefusal(error, { setting: 'PLAYGROUND_PORT', host, port })
  }
}

/** Adds three people who have not met the bot yet, and a group with topics. */
export function seed(playground: Pick<Playground, 'addUser' | 'addGroup' | 'addTopic'>): void {
  for (const person of PEOPLE) {
    playground.addUser({ ...person, languageCode: 'en', started: false })
  }
  const members = PEOPLE.map(({ id }) => id)
  playground.addGroup({ id: TEAM_ID, title: 'Team', members, isForum: true })
  for (const name of TOPICS) playground.addTopic(TEAM_ID, name)
}
