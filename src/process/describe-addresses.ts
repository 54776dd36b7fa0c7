import type { Config } from './config/config.ts'
import type { NamedProxies } from './process-proxies.ts'

/** The parts of a process and their addresses. */
export interface Addresses {
  version: string
  roles: Config['roles']
  address: string
  publicUrl?: string | undefined
  username?: string | undefined
  remoteServiceUrl?: string | undefined
  serviceFile?: string | undefined
  hasOwnKey?: boolean
  /** It may hold a password. Undefined for the embedded server. */
  databaseUrl?: string | undefined
  dataDir: string
  proxies?: NamedProxies | undefined
}

const ROLES = { bot: 'the bot', service: 'the service' } as const

/** Writes what runs, and the address of each part of it, a line each. */
export function describeAddresses(addresses: Addresses): string {
  const { roles, address, publicUrl, remoteServiceUrl, dataDir } = addresses
  const lines: Line[] = [
    ...(roles.has('service') ? describeService(addresses) : []),
    ['Remote service', remoteServiceUrl],
    ...(roles.has('bot') ? describeBot(addresses) : []),
    ...listProxies(addresses),
    ['Health', `${address}/healthz`],
    ['Metrics', `${address}/metrics, for Prometheus`],
    ['From outside', publicUrl],
    ['Database', describeDatabase(addresses)],
    ['Data folder', dataDir],
  ]
  return [describeRoles(addresses), '', writeLines(lines)].join('\n')
}

/** Writes the proxies in use, a line each; undefined where every way is direct. */
export function describeProxies({ proxies }: Pick<Addresses, 'proxies'>): string | undefined {
  return proxies && writeLines(listProxies({ proxies }))
}

function listProxies({ proxies }: Pick<Addresses, 'proxies'>): Line[] {
  return [
    ['Telegram proxy', proxies?.telegram],
    ['Upstream proxy', proxies?.upstream],
  ]
}

function writeLines(lines: readonly Line[]): string {
  return lines
    .filter(([, address]) => address !== undefined)
    .map(([name, address]) => `  ${name.padEnd(WIDTH)}${address}`)
    .join('\n')
}

/** Writes what runs, in one line. */
export function describeRoles({ version, roles }: Pick<Addresses, 'version' | 'roles'>): string {
  const running = Object.entries(ROLES)
    .filter(([role]) => roles.has(role as keyof typeof ROLES))
    .map(([, name]) => name)
  return `Kopeck ${version} runs: ${running.join(' and ')}. Ctrl-C stops it.`
}

const WIDTH = 16

type Line = readonly [string, string | undefined]

function describeService({ address, serviceFile, hasOwnKey = false }: Addresses): Line[] {
  const builtIn = hasOwnKey
    ? 'of your key, see below'
    : 'built in, for a try: OPENAI_API_KEY brings real ones (README)'
  return [
    ['API', `${address}/api/v1`],
    ['API docs', `${address}/api/v1/docs`],
    ['Models', serviceFile ?? builtIn],
  ]
}

function describeBot({ address, username }: Addresses): Line[] {
  return [
    ['Bot', `https://t.me/${username}`],
    ['Admin page', `${address}/admin, by the link that /dashboard gives`],
  ]
}

function describeDatabase({ databaseUrl, dataDir }: Addresses): string {
  if (databaseUrl === undefined) return `embedded PostgreSQL, in ${dataDir}`
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${host}${pathname}`
}
