import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Gateway, GatewayName } from './gateway.ts'
import { llms } from './llms.ts'
import { nginx } from './nginx.ts'
import { portkey } from './portkey.ts'

/** A gateway by others, which is measured where it is installed. */
export interface Peer {
  name: GatewayName
  /** Undefined where it is not installed, as the gateway. */
  version: string | undefined
  gateway: Gateway | undefined
}

/**
 * Looks for nginx on the PATH, and for the others in a folder that npm installed them in.
 *
 * @see arguments.ts, which shows how.
 */
export async function findPeers(folder: string | undefined): Promise<Peer[]> {
  const readVersion = async (name: string) => {
    if (folder === undefined) return undefined
    const file = join(folder, 'node_modules', name, 'package.json')
    const json = await readFile(file, 'utf8').catch(() => undefined)
    return json === undefined ? undefined : (JSON.parse(json) as { version: string }).version
  }
  const toPeer = (gateway: Gateway, version: string | undefined): Peer => ({
    name: gateway.name,
    version,
    gateway: version === undefined ? undefined : gateway,
  })
  return [
    toPeer(nginx, await readNginxVersion()),
    toPeer(llms(folder ?? ''), await readVersion('@musistudio/llms')),
    toPeer(portkey(folder ?? ''), await readVersion('@portkey-ai/gateway')),
  ]
}

async function readNginxVersion(): Promise<string | undefined> {
  const printed = await promisify(execFile)('nginx', ['-v']).catch(() => undefined)
  return printed && /nginx\/(\S+)/.exec(printed.stderr)?.[1]
}
