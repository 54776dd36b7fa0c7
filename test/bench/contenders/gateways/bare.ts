import { join } from 'node:path'
import { plainNode, startProgram } from '../../measuring/program.ts'
import type { Gateway } from './gateway.ts'

const PROGRAM = plainNode(join(import.meta.dirname, 'bare-gateway.ts'))

/** The least that hands bytes on. */
export const bare: Gateway = {
  name: 'bare',
  usesDatabase: false,
  async start({ upstream, core, signal }) {
    const env = { UPSTREAM_URL: upstream }
    const program = await startProgram({ program: PROGRAM, env, core, signal })
    return { ...program, url: program.address, model: 'bench', headers: () => ({}) }
  },
}
