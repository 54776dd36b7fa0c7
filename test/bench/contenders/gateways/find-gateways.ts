import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { BenchContext } from '../../part.ts'
import { bare } from './bare.ts'
import type { Gateway, GatewayName } from './gateway.ts'
import { kopeckGateway } from './kopeck.ts'
import { LLMS_PATH, llms } from './llms.ts'
import { nginx } from './nginx.ts'
import { PORTKEY_PATH, portkey } from './portkey.ts'

/** All gateways that can be measured here, the plainest first and ours last. */
export async function findGateways(
  context: BenchContext,
): Promise<{ gateways: Gateway[]; missing: GatewayName[] }> {
  const { checkouts, peers, only } = context
  const missing: GatewayName[] = []
  const found = async (name: GatewayName, paths: string[]) => {
    for (const path of paths) {
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        return true
    }
    missing.push(name)
    return false
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const hasNginx = await found(
    'nginx',
    folders.map((folder) => join(folder, 'nginx')),
  )
  const inPeers = (path: string) => (peers === undefined ? [] : [join(peers, path)])
  const hasLlms = await found('llms', inPeers(LLMS_PATH))
  const hasPortkey = await found('Portkey', inPeers(PORTKEY_PATH))
  const all = [
    ...(hasNginx ? [nginx] : []),
    bare,
    ...(hasLlms && peers !== undefined ? [llms(peers)] : []),
    ...(hasPortkey && peers !== undefined ? [portkey(peers)] : []),
    ...checkouts.map((checkout) => kopeckGateway(checkout, context)),
  ]
  return { gateways: all.filter(({ name }) => only?.has(name) ?? true), missing }
}
