import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { markInstant } from '../../locales/dates.ts'
import { shortenLine } from '../../locales/shorten.ts'
import type { Access } from '../../people/access/access.ts'
import { nameUser } from '../../people/users.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { formatMoney } from '../../spend/format.ts'
import { listKnownUsers, type SeenUser } from '../../spend/reports/find-users.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'
import { pageTurns } from '../page-turns.ts'
import { userData } from './spend/spend-data.ts'

const PAGE_SIZE = 8
const NAME_CHARS_MAX = 30

/** A button's data takes 64 bytes, and has the search in it. */
const SEARCH_BYTES_MAX = 48

const USERS_DATA = /^users:(\d{1,5}):(.*)$/s

interface UsersDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  access: Pick<Access, 'statusOf' | 'roleOf'>
  calendar: Pick<Calendar, 'today'>
  timeZone: string
}

/** Lists everybody whom the bot knows, a page at a time, or those whom a search means. */
export const usersCommand: CommandDefinition<UsersDeps> = {
  name: 'users',
  audience: 'viewers',
  usage: '[search]',
  create: createUsersCommand,
}

function createUsersCommand({ prisma, access, calendar, timeZone }: UsersDeps) {
  return { handle, presses: [{ data: USERS_DATA, press }] }

  async function handle(command: Command): Promise<void> {
    const search = command.argument.replace(/\s+/g, ' ')
    if (Buffer.byteLength(search) > SEARCH_BYTES_MAX) {
      return command.answer(command.t('users-search-long'))
    }
    const { text, keyboard } = await view({ page: 0, search }, command)
    await command.answer(text, { keyboard })
  }

  async function press(pressed: Press): Promise<void> {
    const [, page, search = ''] = USERS_DATA.exec(pressed.data) ?? []
    await pressed.notify()
    const { text, keyboard } = await view({ page: Number(page), search }, pressed)
    await pressed.edit(text, { keyboard })
  }

  async function view(
    { page, search }: { page: number; search: string },
    { user, t }: Pick<Command, 'user' | 't'>,
  ) {
    const asked = { search, skip: page * PAGE_SIZE, take: PAGE_SIZE }
    const found = await listKnownUsers(prisma, asked, calendar)
    const hasMore = found.length > PAGE_SIZE
    const users = found.slice(0, PAGE_SIZE)
    const lines = users.map((one) => lineOf(one, user.languageCode, t))
    const head = search === '' ? t('users-all') : t('users-found', { search })
    return {
      text: [head, lines.join('\n') || t('users-none')].join('\n\n'),
      keyboard: {
        inline_keyboard: [
          ...users.map((one) => [buttonOf(one)]),
          ...pageTurns({ page, hasMore, t }, (to) => `users:${to}:${search}`),
        ],
      },
    }
  }

  /** It leads to the user's page of `/spend`. */
  function buttonOf({ id, firstName }: SeenUser) {
    return {
      text: shortenLine(firstName, NAME_CHARS_MAX) || String(id),
      callback_data: userData({ span: 'month', page: 0, userId: Number(id) }),
    }
  }

  function lineOf(user: SeenUser, languageCode: string | undefined, t: Command['t']): string {
    const status = access.statusOf(user)
    const state = access.roleOf(user) ?? (status === 'insider' ? 'in' : (user.admission ?? 'out'))
    const { id, seenAt, monthMicroRub } = user
    return t('users-line', {
      user: t('access-line', { name: nameUser(user), id: String(id), state }),
      seen: seenAt === null ? '–' : markInstant(seenAt, { languageCode, timeZone }),
      month: formatMoney(monthMicroRub, languageCode),
    })
  }
}
