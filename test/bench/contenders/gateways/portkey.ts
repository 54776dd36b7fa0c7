import { join } from 'node:path'
import { findPort, plainNode, startProgram } from '../../measuring/program.ts'
import type { Gateway } from './gateway.ts'

const PATH = 'node_modules/@portkey-ai/gateway/build/start-server.js'

/** @param peers The folder that it is installed in. */
export function portkey(peers: string): Gateway {
  return {
    name: 'Portkey',
    usesDatabase: false,
    async start({ upstream, core, signal }) {
      const port = await findPort()
      const program = await startProgram({
        program: plainNode(join(peers, PATH), `--port=${port}`, '--headless'),
        env: { NODE_ENV: 'production' },
        port,
        core,
        signal,
      })
      const headers = {
        authorization: 'Bearer bench-key',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstream}/v1`,
      }
      const url = `${program.address}/v1/chat/completions`
      return { ...program, url, model: 'bench', headers: () => headers }
    },
  }
}
