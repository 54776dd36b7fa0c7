import { allowCommand, blockCommand, roleCommand, usersCommand } from './access.ts'
import { adminCommand } from './admin.ts'
import { retryCommand, stopCommand } from './answers.ts'
import { balanceCommand } from './balance.ts'
import { chatsCommand, newCommand } from './chats.ts'
import type { CommandDefinition } from './command.ts'
import { costNoteCommand } from './cost-note.ts'
import { exportCommand } from './export.ts'
import { startCommand } from './greeting.ts'
import { helpCommand } from './help.ts'
import { historyCommand } from './history.ts'
import { systemCommand } from './instruction.ts'
import { languageCommand } from './language.ts'
import { limitCommand } from './limit.ts'
import { modelCommand } from './model.ts'
import { dashboardCommand, statsCommand } from './operation.ts'
import { imageCommand, ordersCommand, soundCommand, videoCommand } from './orders.ts'
import { forgetCommand, formatCommand, settingsCommand } from './settings.ts'
import { spendCommand } from './spend.ts'
import { usageCommand } from './usage.ts'

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
  usersCommand,
  dashboardCommand,
  balanceCommand,
  statsCommand,
  limitCommand,
  adminCommand,
  allowCommand,
  blockCommand,
  roleCommand,
] as const

export type CommandsApp = (typeof ALL)[number]['handle'] extends (
  app: infer App,
  command: never,
) => unknown
  ? App
  : never

/**
 * Every command of the bot: those of the menu in its order, then the unlisted ones.
 *
 * The dispatcher, Telegram's menu and `/help` read this list. A new command is a file, a line here, and a text in each
 * language.
 */
export const COMMANDS: readonly CommandDefinition<CommandsApp>[] = ALL
