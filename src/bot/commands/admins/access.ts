import type { InlineKeyboardButton } from 'grammy/types'
import type { Access } from '../../access/access.ts'
import type { Admissions } from '../../access/admissions.ts'
import type { AccessRequests } from '../../access/requests.ts'
import { shortenLine } from '../../shorten.ts'
import type { KnownUser } from '../../users.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'

const PAGE_SIZE = 8
const NAME_CHARS_MAX = 30

/** What a press below the list says: a page, or what shall become of a user on a page. */
const ACCESS_DATA = /^access-(?:page:(\d{1,5})|(let|block):(\d{1,15}):(\d{1,5}))$/

interface AccessDeps {
  access: Access
  admissions: Pick<Admissions, 'list'>
  requests: Pick<AccessRequests, 'set'>
  settings: { adminIds: ReadonlySet<number>; allowedUserIds: ReadonlySet<number> }
}

/** Shows admins who is in and who is not, a page at a time, and lets them change it. */
export const accessCommand: CommandDefinition<AccessDeps> = {
  name: 'access',
  audience: 'admins',
  create: createAccessList,
}

function createAccessList({ access, admissions, requests, settings }: AccessDeps) {
  return { handle, presses: [{ data: ACCESS_DATA, press }] }

  async function handle({ t, answer }: Command): Promise<void> {
    const { text, keyboard } = await pageOf(0, t)
    await answer(text, { keyboard })
  }

  async function press({ data, user, t, notify, edit }: Press): Promise<void> {
    const [, page, verb, id, pageOfUser] = ACCESS_DATA.exec(data) ?? []
    if (verb !== undefined) {
      const decision = verb === 'let' ? 'allowed' : 'blocked'
      await requests.set({ userId: Number(id), decision, adminId: user.id })
    }
    await notify()
    const { text, keyboard } = await pageOf(Number(page ?? pageOfUser ?? 0), t)
    await edit(text, { keyboard })
  }

  async function pageOf(page: number, t: Command['t']) {
    const { adminIds, allowedUserIds } = settings
    const found = await admissions.list({
      without: [...adminIds],
      listed: allowedUserIds.size === 0 ? undefined : [...allowedUserIds],
      skip: page * PAGE_SIZE,
      take: PAGE_SIZE,
    })
    const users = found.slice(0, PAGE_SIZE)
    const turns: InlineKeyboardButton[] = [
      ...(page > 0 ? [{ text: t('page-previous'), callback_data: `access-page:${page - 1}` }] : []),
      ...(found.length > PAGE_SIZE
        ? [{ text: t('page-next'), callback_data: `access-page:${page + 1}` }]
        : []),
    ]
    const buttons = users.map((user) => [buttonOf(user, page, t)])
    const lines = users.map((user) => t('access-line', { ...factsOf(user), state: stateOf(user) }))
    const text = [t('access-list'), lines.join('\n') || t('access-nobody')].join('\n\n')
    return {
      text,
      keyboard: { inline_keyboard: turns.length > 0 ? [...buttons, turns] : buttons },
    }
  }

  function buttonOf(user: KnownUser, page: number, t: Command['t']): InlineKeyboardButton {
    const verb = stateOf(user) === 'in' ? 'block' : 'let'
    const name = nameOf(user)
    return {
      text: verb === 'block' ? t('access-block-name', { name }) : t('access-let-name', { name }),
      callback_data: `access-${verb}:${user.id}:${page}`,
    }
  }

  function stateOf(user: KnownUser): string {
    const isIn = access.statusOf(user) === 'insider'
    return isIn ? 'in' : (user.admission ?? 'out')
  }
}

function factsOf(user: KnownUser) {
  const name = nameOf(user)
  const { username, id } = user
  return { name: username === null ? name : `${name} (@${username})`, id: String(id) }
}

function nameOf({ firstName }: KnownUser): string {
  return shortenLine(firstName, NAME_CHARS_MAX) || '–'
}
