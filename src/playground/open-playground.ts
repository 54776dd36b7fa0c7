import { toListenRefusal } from '../platform/http/listen-refused.ts'
import { createPlayground, type Playground, type PlaygroundOptions } from './playground.ts'
import { seed } from './seed.ts'
import { openStore } from './store/store.ts'

/** The options of a playground that a person uses. */
export interface OpenOptions extends Omit<PlaygroundOptions, 'store'> {
  host: string
  port: number
  folder: string
  /** The bot's id where there is no token. */
  freeBotId?: number
}

/**
 * Opens a playground for a person, as they left it: it listens. A new one has people in it.
 *
 * @throws {PlaygroundRefusedError} If its folder cannot be opened.
 * @throws {ListenRefusedError} If nothing can listen there.
 */
export async function openPlayground({
  folder,
  freeBotId,
  ...options
}: OpenOptions): Promise<{ playground: Playground; apiRoot: string; pageUrl: string }> {
  const store = openStore({ folder, token: options.token, freeBotId })
  const isNew = store.readValues().every(({ kind }) => kind !== 'person')
  const playground = createPlayground({ ...options, store })
  if (isNew) seed(playground)
  try {
    return { playground, ...(await playground.listen()) }
  } catch (error) {
    await playground.close()
    const { host, port } = options
    throw toListenRefusal(error, { setting: 'PLAYGROUND_PORT', host, port })
  }
}
