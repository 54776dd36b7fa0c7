import { pino } from 'pino'
import { type AccessSettings, createAccess } from '../../../src/bot/people/access.ts'
import type { People } from '../../../src/bot/people/people.ts'
import { createRoles } from '../../../src/bot/people/roles.ts'
import type { Outbox } from '../../../src/bot/telegram/send.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'

/** The people of a bot that is open to everybody and has no admins, and the messages to them as `ID: TEXT`. */
export function createPeople(
  prisma: PrismaClient,
  { adminIds = new Set(), viewerIds = new Set(), ...rest }: Partial<AccessSettings & People> = {},
) {
  const { allowedUserIds = 'everybody', ...parts } = rest
  const settings = { adminIds, viewerIds, allowedUserIds, timeZone: 'Europe/Moscow' }
  const access = createAccess(settings)
  const sent: string[] = []
  const outbox = {
    async send({ chatId, text }: { chatId: number; text: string }) {
      sent.push(`${chatId}: ${text}`)
      return { chatId, messageId: 1 }
    },
  } as unknown as Outbox
  const people: People = {
    prisma,
    access,
    roles: createRoles({ prisma, settings, access }),
    settings,
    outbox,
    texts: createTexts(),
    showMenus: async () => {},
    onBlocked: async () => {},
    clock: systemClock,
    log: pino({ level: 'silent' }),
    ...parts,
  }
  return { people, sent }
}
