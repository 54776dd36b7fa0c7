import { accessCommand, allowCommand, blockCommand, roleCommand, usersCommand } from './access.ts'
import type { CommandDefinition } from './command.ts'
import { retryCommand, stopCommand } from './conversations/answers.ts'
import { chatsCommand, newCommand } from './conversations/chats.ts'
import { exportCommand } from './conversations/export.ts'
import { startCommand } from './conversations/greeting.ts'
import { historyCommand } from './conversations/history.ts'
import { systemCommand } from './conversations/instruction.ts'
import { modelCommand } from './conversations/model.ts'
import { helpCommand } from './help.ts'
import { balanceCommand } from './money/balance.ts'
import { limitCommand } from './money/limit.ts'
import { spendCommand } from './money/spend.ts'
import { usageCommand } from './money/usage.ts'
import { dashboardCommand, statsCommand } from './operation.ts'
import { imageCommand, ordersCommand, soundCommand, videoCommand } from './orders.ts'
import { adminCommand } from './settings/admin.ts'
import { costNoteCommand } from './settings/cost-note.ts'
import { languageCommand } from './settings/language.ts'
import { forgetCommand, formatCommand, settingsCommand } from './settings/settings.ts'

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
  adminCommand,
  allowCommand,
  blockCommand,
  roleCommand,
] as const

/** The parts that all commands together use. */
export type CommandsApp = (typeof ALL)[number]['handle'] extends (
  app: infer App,
  command: never,
) => unknown
  ? App
  : never

/**
 * Every command of the bot, in the order of the menu, those after it that no menu lists: the dispatcher, Telegram's menu,
 * and `/help` read this list. A new command is a file, a line here, and a text in each language.
 */
export const COMMANDS: readonly CommandDefinition<CommandsApp>[] = ALL
