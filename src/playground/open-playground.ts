import { createPlayground, type Playground, type PlaygroundOptions } from './playground.ts'
import { PlaygroundRefusedError } from './refused.ts'
import { seed } from './seed.ts'

/** What a playground that a person uses is opened with. */
export interface OpenOptions extends PlaygroundOptions {
  host: string
  port: number
}

/**
 * Opens a playground for a person: with people in it, and listening.
 *
 * @throws {PlaygroundRefusedError}
 */
export async function openPlayground(
  options: OpenOptions,
): Promise<{ playground: Playground; apiRoot: string }> {
  const { host, port } = options
  const playground = createPlayground(options)
  seed(playground)
  try {
    return { playground, ...(await playground.listen()) }
  } catch (error) {
    await playground.close()
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (!isInUse) throw error
    throw new PlaygroundRefusedError(`Cannot start: PLAYGROUND_PORT ${port} on ${host} is in use`)
  }
}
