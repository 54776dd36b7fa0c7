import { join } from 'node:path'
import { findPort, plainNode, startProgram } from '../../measuring/program.ts'
import type { Gateway } from './gateway.ts'

const PATH = 'node_modules/@musistudio/llms/dist/cjs/server.cjs'

/** @param peers The folder that it is installed in. */
export function llms(peers: string): Gateway {
  return {
    name: 'llms',
    usesDatabase: false,
    async start({ upstream, core, signal }) {
      const port = await findPort()
      const program = await startProgram({
        program: plainNode(join(import.meta.dirname, 'llms-server.ts')),
        env: { LLMS: join(peers, PATH), PORT: `${port}`, UPSTREAM_URL: upstream },
        port,
        core,
        signal,
      })
      const url = `${program.address}/v1/chat/completions`
      return { ...program, url, model: 'bench,bench', headers: () => ({}) }
    },
  }
}
