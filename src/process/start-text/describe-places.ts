import type { Config } from '../config.ts'

/** What of a process is found where. */
export interface Places {
  roles: Config['roles']
  /** Root of its HTTP server, as this machine reaches it. */
  address: string
  /** As others reach it, if they do. */
  publicUrl?: string | undefined
  /** Of the bot in Telegram. */
  username?: string | undefined
  /** The service of the bot, if it is another one. */
  remoteServiceUrl?: string | undefined
  /** Undefined for models and prices that are built in. */
  serviceFile?: string | undefined
  /** May hold a password. Undefined for the embedded server. */
  databaseUrl?: string | undefined
  dataDir: string
}

const ROLES = { bot: 'the bot', service: 'the service' } as const

/** Says what runs, and where each part of it is found, a line each. */
export function describePlaces(places: Places): string {
  const { roles, address, publicUrl, remoteServiceUrl, dataDir } = places
  const lines: Line[] = [
    ...(roles.has('service') ? describeService(places) : []),
    ['Remote service', remoteServiceUrl],
    ...(roles.has('bot') ? describeBot(places) : []),
    ['Health', `${address}/healthz`],
    ['Metrics', `${address}/metrics, for Prometheus`],
    ['From outside', publicUrl],
    ['Database', describeDatabase(places)],
    ['Data folder', dataDir],
  ]
  const written = lines
    .filter(([, place]) => place !== undefined)
    .map(([name, place]) => `  ${name.padEnd(WIDTH)}${place}`)
  return [describeRoles(roles), '', ...written].join('\n')
}

/** Says what runs, in one line. */
export function describeRoles(roles: Config['roles']): string {
  const running = Object.entries(ROLES)
    .filter(([role]) => roles.has(role as keyof typeof ROLES))
    .map(([, name]) => name)
  return `Kopeck runs: ${running.join(' and ')}. Ctrl-C stops it.`
}

/** Of the names, with the space after them. */
const WIDTH = 16

/** A name and its place; left out where there is none. */
type Line = readonly [string, string | undefined]

function describeService({ address, serviceFile }: Places): Line[] {
  const builtIn = 'built in, for a try: SERVICE_CONFIG names your own (docs/service.md)'
  return [
    ['API', `${address}/api/v1`],
    ['API docs', `${address}/api/v1/docs`],
    ['Models', serviceFile ?? builtIn],
  ]
}

function describeBot({ address, username }: Places): Line[] {
  return [
    ['Bot', `https://t.me/${username}`],
    ['Admin page', `${address}/admin, by the link that /dashboard gives`],
  ]
}

/** Without its user and password. */
function describeDatabase({ databaseUrl, dataDir }: Places): string {
  if (databaseUrl === undefined) return `embedded PostgreSQL, in ${dataDir}`
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${host}${pathname}`
}
