import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkout, npmStart } from '../../checkout.ts'
import { type RunningProgram, startProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import type { Asked } from '../../surroundings/load.ts'
import type { Gateway, GatewaySurroundings } from './gateway.ts'

const STREAMED_MODEL = 'bench-streams'

/** The service of a checkout, with authentication, limits, holds and settlements as they always are. */
export function kopeckGateway(checkout: Checkout, { database, accountsOf }: BenchContext): Gateway {
  return {
    name: checkout.name,
    usesDatabase: true,
    async start(surroundings) {
      const { url, keys } = await accountsOf(checkout)
      const databaseUrl = await database.copy(url)
      const program = await startKopeckService({ ...surroundings, checkout, databaseUrl })
      return { ...program, ...askedOf(program, keys), streamedModel: STREAMED_MODEL }
    },
  }
}

/** How a service is asked, in the name of one account after the other. */
export function askedOf({ address }: { address: string }, keys: readonly string[]): Asked {
  let asked = 0
  return {
    url: `${address}/api/v1/chats/completions`,
    model: 'bench-model',
    headers: () => ({ authorization: `Bearer ${keys[asked++ % keys.length]}` }),
  }
}

/** Starts one process of the service on a database with accounts. `stop()` removes its files as well. */
export async function startKopeckService({
  checkout,
  databaseUrl,
  upstream,
  core,
  signal,
}: GatewaySurroundings & { checkout: Checkout; databaseUrl: string }): Promise<RunningProgram> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  try {
    const config = join(dataDir, 'service.json')
    await writeFile(config, JSON.stringify(toServiceConfig(upstream)))
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      SERVICE_CONFIG: config,
      PORT: '0',
    }
    const program = await npmStart(checkout, 'service')
    const { root } = checkout
    const service = await startProgram({ program, root, env, core, signal })
    return { ...service, stop: () => service.stop().finally(removeFiles) }
  } catch (error) {
    await removeFiles()
    throw error
  }
}

/** Has two models: the second has no plain answers, so that the service puts them together from a stream. */
function toServiceConfig(upstream: string): object {
  const model = {
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
  }
  const provider = { type: 'openai', base_url: `${upstream}/v1`, model: 'bench' }
  return {
    chat: {
      models: [
        { ...model, id: 'bench-model', provider },
        { ...model, id: STREAMED_MODEL, provider: { ...provider, only_streams: true } },
      ],
    },
  }
}
