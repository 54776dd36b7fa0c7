import type { TroubleLog } from '../platform/fold-repeats.ts'
import {
  createProxies,
  isThisMachine,
  type Proxies,
  type ProxyAddress,
} from '../platform/http/proxies.ts'
import type { Config } from './config.ts'

export interface ProcessProxies {
  telegram?: Proxies | undefined
  upstream?: Proxies | undefined
}

/** Opens the proxies that the operator names. The way to a Bot API server on this machine has none. */
export function openProxies(
  { roles, secrets, telegram: { apiRoot } }: Pick<Config, 'roles' | 'secrets' | 'telegram'>,
  log?: TroubleLog,
): ProcessProxies {
  const isNear = apiRoot !== undefined && isThisMachine(new URL(apiRoot).hostname)
  const isProxied = roles.has('bot') && secrets.botToken !== undefined && !isNear
  const open = (addresses: readonly ProxyAddress[]) =>
    addresses.length === 0 ? undefined : createProxies({ addresses, log })
  return {
    telegram: isProxied ? open(secrets.telegramProxies) : undefined,
    upstream: open(secrets.upstreamProxies),
  }
}

export type NamedProxies = Readonly<Record<'telegram' | 'upstream', string | undefined>>

export function nameProxies({ telegram, upstream }: ProcessProxies): NamedProxies | undefined {
  if (telegram === undefined && upstream === undefined) return undefined
  return { telegram: telegram?.usedName(), upstream: upstream?.usedName() }
}
