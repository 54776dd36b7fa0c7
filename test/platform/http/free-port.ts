import { once } from 'node:events'
import { createServer } from 'node:net'

/** The first port: below those that Linux gives to connections and servers, above those that fetch() refuses. */
const FIRST = 11_000
const PORTS_OF_WORKER = 1_000
const WORKERS = 20

const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS
let given = Math.floor(Math.random() * PORTS_OF_WORKER)

/**
 * Finds a port of 127.0.0.1 for a server that is started later, or again at the same address, or never.
 *
 * The system gives it to no other server or connection meanwhile, this worker's tests get it once, and those
 * of other workers have others.
 */
export async function findFreePort(): Promise<string> {
  for (let tries = 0; tries < PORTS_OF_WORKER; tries += 1) {
    given = (given + 1) % PORTS_OF_WORKER
    const port = FIRST + worker * PORTS_OF_WORKER + given
    if (await isFree(port)) return String(port)
  }
  throw new Error('Cannot find a free port')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await new Promise((done) => server.close(done))
  return true
}
