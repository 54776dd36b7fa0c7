import type { InlineKeyboardButton } from 'grammy/types'
import type { MenuButtons } from '../../admin/dashboard/menu-buttons.ts'
import type { SignInLinks } from '../../admin/dashboard/page-address.ts'
import type { CommandDefinition } from '../command.ts'

interface DashboardDeps {
  signInLinks: Pick<SignInLinks, 'page' | 'make'>
  menus: Pick<MenuButtons, 'show'>
}

/** Gives an admin or a viewer a link that signs them in to the page, once. */
export const dashboardCommand: CommandDefinition<DashboardDeps> = {
  name: 'dashboard',
  audience: 'viewers',
  listed: 'in_private',
  async handle({ signInLinks, menus }, { user, t, answer }) {
    const { page } = signInLinks
    // Who became an admin before they wrote to the bot has no menus yet.
    const { id: userId, role, languageCode } = user
    await menus.show({ userId, role, languageCode })
    const link = await signInLinks.make(userId)
    if (page.opensIn === 'here') return answer(t('dashboard-here', { link }))
    if (page.opensIn === 'browser') return answer(t('dashboard-browser', { link }))
    const buttons: InlineKeyboardButton[] = [
      { text: t('dashboard-open-telegram'), web_app: { url: page.url } },
      { text: t('dashboard-open-browser'), url: link },
    ]
    await answer(t('dashboard'), { keyboard: { inline_keyboard: buttons.map((one) => [one]) } })
  },
}
