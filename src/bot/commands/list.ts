import { accessCommand, allowCommand, blockCommand, roleCommand } from './admins/access.ts'
import { alertsCommand } from './admins/alerts.ts'
import { limitCommand } from './admins/limit.ts'
import { mediaCommand } from './admins/media.ts'
import type { CommandDefinition } from './command.ts'
import { retryCommand, stopCommand } from './conversations/answers.ts'
import { chatsCommand, newCommand } from './conversations/chats.ts'
import { exportCommand } from './conversations/export.ts'
import { startCommand } from './conversations/greeting.ts'
import { historyCommand } from './conversations/history.ts'
import { systemCommand } from './conversations/instruction.ts'
import { modelCommand } from './conversations/model.ts'
import { helpCommand } from './everybody/help.ts'
import { imageCommand, ordersCommand, soundCommand, videoCommand } from './everybody/media.ts'
import { costNoteCommand } from './everybody/settings/cost-note.ts'
import { forgetCommand } from './everybody/settings/forget.ts'
import { formatCommand } from './everybody/settings/format.ts'
import { languageCommand } from './everybody/settings/language.ts'
import { settingsCommand } from './everybody/settings/settings.ts'
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

/** The parts that all commands together use. */
export type AllCommandDeps = (typeof ALL)[number]['handle'] extends (
  app: infer App,
  command: never,
) => unknown
  ? App
  : never

/**
 * Every command of the bot, in the order of the menu, those after it that no menu lists: the dispatcher, Telegram's menu,
 * and `/help` read this list. A new command is a file, a line here, and a text in each language.
 */
export const COMMANDS: readonly CommandDefinition<AllCommandDeps>[] = ALL
