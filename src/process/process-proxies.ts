import type { TroubleLog } from '../platform/fold-repeats.ts'
import { createProxies, isThisMachine, type Proxies } from '../platform/http/proxies.ts'
import type { Config } from './config.ts'

/** The proxies of a process. They know which of them work. */
export interface ProcessProxies {
  telegram?: Proxies | undefined
  upstream?: Proxies | undefined
}

/** Opens the proxies that the operator names. Where a server of this machine stands in for Telegram, the way to it has none. */
export function openProxies(
  { roles, secrets, telegram }: Pick<Config, 'roles' | 'secrets' | 'telegram'>,
  log?: TroubleLog,
): ProcessProxies {
  const hasBot = roles.has('bot') && secrets.botToken !== undefined
  const { apiRoot } = telegram
  const isFar = apiRoot === undefined || !isThisMachine(new URL(apiRoot).hostname)
  return {
    telegram: hasBot && isFar ? open(secrets.telegramProxies) : undefined,
    upstream: open(secrets.upstreamProxies),
  }

  function open(addresses: Config['secrets']['telegramProxies']): Proxies | undefined {
    return addresses.length === 0 ? undefined : createProxies({ addresses, log })
  }
}

/** The proxy in use on each way that has some, by the way's name. */
export type NamedProxies = Readonly<Partial<Record<keyof ProcessProxies, string>>>

/** @returns Undefined where every way is direct. */
export function nameProxies({ telegram, upstream }: ProcessProxies): NamedProxies | undefined {
  if (telegram === undefined && upstream === undefined) return undefined
  return {
    ...(telegram !== undefined && { telegram: telegram.usedName() }),
    ...(upstream !== undefined && { upstream: upstream.usedName() }),
  }
}
