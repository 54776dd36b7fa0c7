import { accessCommand, allowCommand, blockCommand, roleCommand } from './admins/access.ts'
import { alertsCommand } from './admins/alerts.ts'
import { limitCommand } from './admins/limit.ts'
import { mediaCommand } from './admins/media.ts'
import type { CommandDefinition } from './command.ts'
import { helpCommand } from './everybody/help.ts'
import { imageCommand } from './everybody/media/image.ts'
import { ordersCommand } from './everybody/media/orders.ts'
import { soundCommand } from './everybody/media/sound.ts'
import { videoCommand } from './everybody/media/video.ts'
import { costNoteCommand } from './everybody/settings/cost-note.ts'
import { forgetCommand } from './everybody/settings/forget.ts'
import { formatCommand } from './everybody/settings/format.ts'
import { languageCommand } from './everybody/settings/language.ts'
import { settingsCommand } from './everybody/settings/settings.ts'
import { systemCommand } from './everybody/settings/system.ts'
import { startCommand } from './everybody/start.ts'
import { chatsCommand } from './everybody/talking/chats.ts'
import { exportCommand } from './everybody/talking/export.ts'
import { historyCommand } from './everybody/talking/history.ts'
import { modelCommand } from './everybody/talking/model.ts'
import { newCommand } from './everybody/talking/new.ts'
import { retryCommand } from './everybody/talking/retry.ts'
import { stopCommand } from './everybody/talking/stop.ts'
import { usageCommand } from './everybody/usage.ts'
import { balanceCommand } from './viewers/balance.ts'
import { dashboardCommand } from './viewers/dashboard.ts'
import { spendCommand } from './viewers/spend/spend.ts'
import { statsCommand } from './viewers/stats.ts'
import { usersCommand } from './viewers/users.ts'

const ALL = [
  newCommand,
  chatsCommand,
  modelCommand,
  videoCommand,
  imageCommand,
  soundCommand,
  usageCommand,
  settingsCommand,
  helpCommand,
  startCommand,
  stopCommand,
  retryCommand,
  historyCommand,
  exportCommand,
  ordersCommand,
  systemCommand,
  languageCommand,
  formatCommand,
  costNoteCommand,
  forgetCommand,
  spendCommand,
  accessCommand,
  dashboardCommand,
  balanceCommand,
  usersCommand,
  statsCommand,
  limitCommand,
  alertsCommand,
  mediaCommand,
  allowCommand,
  blockCommand,
  roleCommand,
] as const

/** The dependencies of all commands together. */
export type AllCommandDeps = (typeof ALL)[number]['create'] extends (deps: infer Deps) => unknown
  ? Deps
  : never

/**
 * Every command of the bot, in the order of the menu, those after it that no menu lists: the dispatcher, Telegram's menu,
 * and `/help` read this list. A new command is a file, a line here, and a text in each language.
 */
export const COMMANDS: readonly CommandDefinition<AllCommandDeps>[] = ALL
