import { shortenLine } from '../../locales/shorten.ts'
import type { Access } from '../../people/access/access.ts'
import { type KnownUser, nameUser } from '../../people/users.ts'
import type { Command } from '../command.ts'
import { pageTurns } from '../page-turns.ts'
import { limitData, userData } from '../viewers/spend/spend-data.ts'

const NAME_CHARS_MAX = 30

/** Writes the views of `/access`: the list, and the page of one user with what can be done about them. */
export function createAccessViews({ statusOf, roleOf }: Access) {
  return { listView, userView }

  function listView(
    users: readonly KnownUser[],
    { page, hasMore, t }: { page: number; hasMore: boolean; t: Command['t'] },
  ) {
    const lines = users.map((user) => t('access-line', factsOf(user)))
    const buttons = users.map((user) => [
      {
        text: shortenLine(user.firstName, NAME_CHARS_MAX) || String(user.id),
        callback_data: `access-user:${user.id}:${page}`,
      },
    ])
    return {
      text: [t('access-list'), lines.join('\n') || t('access-nobody')].join('\n\n'),
      keyboard: {
        inline_keyboard: [
          ...buttons,
          ...pageTurns({ page, hasMore, t }, (to) => `access-page:${to}`),
        ],
      },
    }
  }

  /**
   * @param limits What is left of the user's limits, line by line.
   * @param page Of the list, to go back to.
   */
  function userView(
    user: KnownUser,
    { limits, page, t }: { limits: readonly string[]; page: number; t: Command['t'] },
  ) {
    const role = roleOf(user) ?? 'none'
    const back = { text: t('page-previous'), callback_data: `access-page:${page}` }
    const buttons = [
      admissionButtons(user, page, t),
      roleButtons(user, page, t),
      spendButtons(user, t),
      [back],
    ]
    const facts = [t('access-line', factsOf(user)), ...limits].join('\n')
    return {
      text: [facts, t('access-role', { role })].join('\n\n'),
      keyboard: { inline_keyboard: buttons.filter((row) => row.length > 0) },
    }
  }

  /** Admins cannot be blocked. */
  function admissionButtons(user: KnownUser, page: number, t: Command['t']) {
    const letIn = { text: t('access-allow'), callback_data: `access-let:${user.id}:${page}` }
    const block = { text: t('access-block'), callback_data: `access-block:${user.id}:${page}` }
    if (statusOf(user) !== 'insider') return user.admission === 'blocked' ? [letIn] : [letIn, block]
    return roleOf(user) === 'admin' ? [] : [block]
  }

  function roleButtons(user: KnownUser, page: number, t: Command['t']) {
    if (user.admission === 'blocked') return []
    const texts = {
      admin: t('role-make-admin'),
      viewer: t('role-make-viewer'),
      none: t('role-take'),
    }
    const given = user.role ?? 'none'
    return (['admin', 'viewer', 'none'] as const)
      .filter((role) => role !== given)
      .map((role) => ({
        text: texts[role],
        callback_data: `access-role:${role}:${user.id}:${page}`,
      }))
  }

  /** They lead to the user's page of `/spend`. */
  function spendButtons({ id }: KnownUser, t: Command['t']) {
    const target = { span: 'month', page: 0, userId: Number(id) } as const
    return [
      { text: t('spend-limit-button'), callback_data: limitData(target) },
      { text: t('access-spend'), callback_data: userData(target) },
    ]
  }

  function factsOf(user: KnownUser) {
    const state = statusOf(user) === 'insider' ? 'in' : (user.admission ?? 'out')
    return { name: nameUser(user), id: String(user.id), state: roleOf(user) ?? state }
  }
}
