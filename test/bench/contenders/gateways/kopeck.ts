import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkout, npmStart } from '../../checkout.ts'
import { startProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import type { Gateway } from './gateway.ts'

/** The service of a checkout, with authentication, limits, holds and settlements as they always are. */
export function kopeckGateway(checkout: Checkout, { database, accountsOf }: BenchContext): Gateway {
  return {
    name: checkout.name,
    usesDatabase: true,
    async start({ upstream, core, signal }) {
      const { url, keys } = await accountsOf(checkout)
      const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
      const removeFiles = () => rm(dataDir, { recursive: true, force: true })
      try {
        const config = join(dataDir, 'service.json')
        await writeFile(config, JSON.stringify(toServiceConfig(upstream)))
        const env = {
          ...{ DATABASE_URL: await database.copy(url), DATA_DIR: dataDir },
          ...{ SERVICE_CONFIG: config, PORT: '0' },
        }
        const start = await npmStart(checkout, 'service')
        const { root } = checkout
        const program = await startProgram({ program: start, root, env, core, signal })
        let asked = 0
        return {
          ...program,
          url: `${program.address}/api/v1/chats/completions`,
          model: 'bench-model',
          headers: () => ({ authorization: `Bearer ${keys[asked++ % keys.length]}` }),
          stop: () => program.stop().finally(removeFiles),
        }
      } catch (error) {
        await removeFiles()
        throw error
      }
    },
  }
}

function toServiceConfig(upstream: string): object {
  const model = {
    id: 'bench-model',
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    provider: { type: 'openai', base_url: `${upstream}/v1`, model: 'bench' },
  }
  return { chat: { models: [model] } }
}
