import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Outbox } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { Access, AccessSettings } from './access.ts'

/** The parts that decide about access and roles, built once in `bot.ts`. */
export interface People {
  prisma: PrismaClient
  access: Access
  roles: { admins(): Promise<{ userId: number; languageCode: string | undefined }[]> }
  settings: Pick<AccessSettings, 'adminIds'> & { timeZone: string }
  outbox: Outbox
  texts: Texts
  showMenus: (user: {
    userId: number
    role: UserRole | undefined
    languageCode: string | undefined
  }) => Promise<void>
  onBlocked: (userId: number) => Promise<void>
  clock: Clock
  log: Logger
}
