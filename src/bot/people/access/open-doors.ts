import type { Logger } from 'pino'
import type { Access, OpenTo } from './access.ts'
import type { FirstAdmin } from './first-admin.ts'

/** What the operator of a bot is to read when it starts. */
export interface Doors {
  openTo: OpenTo
  /** Makes who sends it the first admin; undefined where there is one. A secret: it belongs into no log. */
  adminCode: string | undefined
}

/** Says to whom a bot that starts is open, and has a code ready where it has no admin. */
export async function openDoors({
  access,
  firstAdmin,
  log,
}: {
  access: Pick<Access, 'openTo'>
  firstAdmin: Pick<FirstAdmin, 'offer'>
  log: Logger
}): Promise<Doors> {
  const openTo = access.openTo()
  const adminCode = await firstAdmin.offer()
  log.info({ openTo, hasAdmin: adminCode === undefined }, 'who may talk to the bot')
  return { openTo, adminCode }
}
