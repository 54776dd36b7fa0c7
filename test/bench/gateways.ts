import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench, Target } from './bench.ts'

export interface Gateway {
  pid: number
  url: string
  model: string
  /** The headers of each account, to be used in turn. */
  headers: Record<string, string>[]
  databaseUrl?: string
}

const ACCOUNTS = 8
const PEERS = { llms: '@musistudio/llms', Portkey: '@portkey-ai/gateway' } as const
const LLMS = `
  const { default: Server } = require(process.env.LLMS)
  const provider = {
    name: 'bench',
    api_base_url: process.env.UPSTREAM + '/v1/chat/completions',
    api_key: 'bench-key',
    models: ['bench'],
    transformer: { use: ['OpenAI'] },
  }
  const initialConfig = { HOST: '127.0.0.1', PORT: process.env.PORT, providers: [provider] }
  new Server({ logger: false, useJsonFile: false, initialConfig }).start()`

/** Finds the gateways by others that npm installed in a folder. */
export function findPeers(folder: string): Target[] {
  return (['llms', 'Portkey'] as const)
    .map((name) => ({ name, root: join(folder, 'node_modules', PEERS[name]) }))
    .filter(({ root }) => existsSync(root))
}

/** Starts a gateway in front of the double of a model. */
export async function startGateway(bench: Bench, { name, root }: Target): Promise<Gateway> {
  const upstream = (await bench.upstream()).address
  if (name === 'Kopeck' || name === 'before') return startService(bench, root, upstream)
  const port = randomInt(20_000, 30_000)
  const isLlms = name === 'llms'
  const portkeyArgs = [join(root, 'build/start-server.js'), `--port=${port}`, '--headless']
  const { pid, address } = await bench.startProgram(
    [process.execPath, ...(isLlms ? ['--eval', LLMS] : portkeyArgs)],
    {
      port,
      env: {
        NODE_ENV: 'production',
        LLMS: join(root, 'dist/cjs/server.cjs'),
        PORT: `${port}`,
        UPSTREAM: upstream,
      },
    },
  )
  const portkey = {
    authorization: 'Bearer bench-key',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream}/v1`,
  }
  const url = `${address}/v1/chat/completions`
  return { pid, url, model: isLlms ? 'bench,bench' : 'bench', headers: [isLlms ? {} : portkey] }
}

/** Starts the service with accounts that have money and a high rate limit. */
async function startService(bench: Bench, root: string, upstream: string): Promise<Gateway> {
  const dataDir = await bench.makeFolder()
  const config = join(dataDir, 'service.json')
  const model = {
    id: 'bench-model',
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    provider: { type: 'openai', base_url: `${upstream}/v1`, model: 'bench' },
  }
  await writeFile(config, JSON.stringify({ chat: { models: [model] } }))
  const DATABASE_URL = await bench.createDatabase()
  const env = { DATABASE_URL, DATA_DIR: dataDir, SERVICE_CONFIG: config }
  const { pid, address } = await bench.startKopeck(root, ['service'], env)
  const headers: Gateway['headers'] = []
  for (let account = 1; account <= ACCOUNTS; account += 1) {
    const create = ['account', 'create', '--name', `bench ${account}`, '--credit', '1000000']
    const { account_id: id, api_key: key } = JSON.parse(await bench.runKopeck(root, create, env))
    await bench.runKopeck(root, ['account', 'limits', `${id}`, '--chat', '60000'], env)
    headers.push({ authorization: `Bearer ${key}` })
  }
  const url = `${address}/api/v1/chats/completions`
  return { pid, url, model: 'bench-model', headers, databaseUrl: DATABASE_URL }
}

/** The body of a request for an answer of so many deltas. */
export function bodyOf(gateway: Pick<Gateway, 'model'>, question: string, stream: boolean): string {
  const messages = [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: question },
  ]
  return JSON.stringify({ model: gateway.model, messages, stream })
}
