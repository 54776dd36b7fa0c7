import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../platform/http/free-port.ts'
import { type Kopeck, startKopeck } from '../../../support/kopeck.ts'

const REQUESTS_PER_KILL = 400

/** Two instants of this machine's clock, in milliseconds, between which a process died. */
export interface Kill {
  instance: number
  beganAt: number
  endedAt: number
}

/** Two processes of the service on one database and one folder. */
export interface TwoServices {
  addresses: readonly string[]
  mediaDir: string
  kills: readonly Kill[]
  killAndRestart(instance: number): Promise<void>
  stop(): Promise<(number | null)[]>
  close(): Promise<void>
}

/**
 * A chat's hold is `max_tokens` times 1,000 micro-roubles and a few micro-roubles more for its prompt:
 * who asks for how many tokens is known by what was held.
 */
export const COMPLETION_MICRO_RUB_PER_TOKEN = 1000n
const PROMPT_MICRO_RUB_PER_TOKEN = 1n

export async function startTwoServices({
  databaseUrl,
  upstream,
  receiver,
}: {
  databaseUrl: string
  upstream: string
  receiver: string
}): Promise<TwoServices> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-faults-'))
  const configPath = join(dataDir, 'service.json')
  await writeFile(configPath, JSON.stringify(toConfig(upstream)))
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SERVICE_CONFIG: configPath,
    CALLBACK_ALLOW: new URL(receiver).host,
    UPSTREAM_API_KEY: 'upstream-key',
  }
  const ports = [await findFreePort(), await findFreePort()]
  const starts: Promise<Kopeck>[] = []
  const kills: Kill[] = []
  const services = await Promise.all(ports.map(start)).catch(async (error) => {
    await close()
    throw error
  })
  return {
    addresses: services.map(({ address }) => address),
    mediaDir: join(dataDir, 'media'),
    kills,
    killAndRestart,
    stop: () => Promise.all(services.map((service) => service.stop())),
    close,
  }

  function start(port: string): Promise<Kopeck> {
    const starting = startKopeck({ ...env, PORT: port }, ['service'])
    starts.push(starting)
    return starting
  }

  async function killAndRestart(instance: number): Promise<void> {
    const [service, port] = [services[instance], ports[instance]]
    if (service === undefined || port === undefined) throw new RangeError('There are only two')
    const beganAt = Date.now()
    await service.kill()
    kills.push({ instance, beganAt, endedAt: Date.now() })
    services[instance] = await start(port)
  }

  /** A process that is starting is waited for: it could not be ended otherwise. */
  async function close(): Promise<void> {
    for (const started of await Promise.allSettled(starts)) {
      if (started.status === 'fulfilled') await started.value.kill()
    }
    await rm(dataDir, { recursive: true })
  }
}

function toConfig(upstream: string) {
  const openai = { type: 'openai', base_url: `${upstream}/v1`, model: 'upstream' }
  return {
    chat: {
      models: [
        {
          id: 'alpha',
          family: 'A',
          context_tokens: 1_000_000,
          prompt_rub_per_1m: `${PROMPT_MICRO_RUB_PER_TOKEN}`,
          completion_rub_per_1m: `${COMPLETION_MICRO_RUB_PER_TOKEN}`,
          provider: { ...openai, api_key_env: 'UPSTREAM_API_KEY' },
        },
      ],
    },
    generation: {
      'videos/vidgen-generate': {
        prices_rub: { 'vidgen-720p-5s': '40' },
        provider: {
          type: 'relay',
          base_url: `${upstream}/api/v1`,
          api_key_env: 'UPSTREAM_API_KEY',
        },
      },
      'images/imagegen-generate': { prices_rub: { imagegen: '5' }, provider: openai },
      'sounds/soundgen-generate': { prices_rub: { soundgen: '3' }, provider: { type: 'demo' } },
    },
  }
}

/** Kills the processes in turn, evenly over a run of so many requests, and never both at a time. */
export function planKills(services: Pick<TwoServices, 'killAndRestart'>, requests: number) {
  const count = Math.ceil(requests / REQUESTS_PER_KILL)
  let begun = 0
  let isOneDown = false
  let restarted = Promise.resolve()
  return { count, before, restarted: () => restarted }

  /** Call it before the request of that index is made. */
  function before(index: number): void {
    const dueIndex = (requests * (begun + 1)) / (count + 1)
    if (isOneDown || begun === count || index < dueIndex) return
    isOneDown = true
    restarted = services.killAndRestart(begun % 2).finally(() => {
      isOneDown = false
    })
    begun += 1
  }
}
