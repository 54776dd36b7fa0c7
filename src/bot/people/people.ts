import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Outbox } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { Access, AccessSettings } from './access.ts'

/** The parts that decide who may talk to the bot, and in which role, built once in `bot.ts`. */
export interface People {
  prisma: PrismaClient
  access: Access
  roles: { admins(): Promise<{ userId: number; languageCode: string | undefined }[]> }
  settings: Pick<AccessSettings, 'adminIds'> & { timeZone: string }
  outbox: Outbox
  texts: Texts
  /** Shows a user the menus of their role. */
  showMenus: (user: {
    userId: number
    role: UserRole | undefined
    languageCode: string | undefined
  }) => Promise<void>
  /** Ends the work of a blocked user. */
  onBlocked: (userId: number) => Promise<void>
  clock: Clock
  log: Logger
}
