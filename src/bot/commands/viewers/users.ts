import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { markInstant } from '../../locales/dates.ts'
import { shortenLine } from '../../locales/shorten.ts'
import type { Access } from '../../people/access/access.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { formatMoney } from '../../spend/format.ts'
import { listKnownUsers } from '../../spend/reports/find-users.ts'
import { accessLine, USERS_SHOWN_MAX } from '../access-line.ts'
import type { CommandDefinition } from '../command.ts'

const SEARCH_CHARS_MAX = 40

interface UsersDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  access: Pick<Access, 'statusOf' | 'roleOf'>
  calendar: Pick<Calendar, 'today'>
  timeZone: string
}

/** Lists everybody whom the bot knows, the last seen first, or those whom a search means. */
export const usersCommand: CommandDefinition<UsersDeps> = {
  name: 'users',
  audience: 'viewers',
  usage: '[search]',
  async handle(
    { prisma, access, calendar, timeZone },
    { argument: search, user: { languageCode }, t, answer },
  ) {
    const found = await listKnownUsers(prisma, { search, take: USERS_SHOWN_MAX + 1 }, calendar)
    const lines = found.slice(0, USERS_SHOWN_MAX).map((user) =>
      t('users-line', {
        user: accessLine(user, access, t),
        seen: user.seenAt === null ? '–' : markInstant(user.seenAt, { languageCode, timeZone }),
        month: formatMoney(user.monthMicroRub, languageCode),
      }),
    )
    const isCut = found.length > USERS_SHOWN_MAX
    const paragraphs = [
      search === ''
        ? t('users-all')
        : t('users-found', { search: shortenLine(search, SEARCH_CHARS_MAX) }),
      lines.join('\n') || t('users-none'),
      ...(isCut ? [t('users-more', { count: USERS_SHOWN_MAX })] : []),
    ]
    await answer(paragraphs.join('\n\n'))
  },
}
