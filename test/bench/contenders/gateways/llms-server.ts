// @musistudio/llms is a library: this starts its server, without its log.

import { createRequire } from 'node:module'

interface Llms {
  default: new (options: object) => { start(): Promise<void> }
}

const { LLMS = '', PORT, UPSTREAM_URL } = process.env
const { default: Server }: Llms = createRequire(import.meta.url)(LLMS)
const provider = {
  name: 'bench',
  api_base_url: `${UPSTREAM_URL}/v1/chat/completions`,
  api_key: 'bench-key',
  models: ['bench'],
  transformer: { use: ['OpenAI'] },
}
const server = new Server({
  logger: false,
  useJsonFile: false,
  initialConfig: { HOST: '127.0.0.1', PORT, providers: [provider] },
})
await server.start()
