import { type AccessDeps, accessCommand } from './access.ts'
import { type BalanceDeps, balanceCommand } from './balance.ts'
import type { CommandDefinition } from './command.ts'
import { type CostNoteDeps, costNoteCommand } from './cost-note.ts'
import { type DraftsDeps, draftsCommand } from './drafts.ts'
import { type ExportDeps, exportCommand } from './export.ts'
import { type ForgetDeps, forgetCommand } from './forget.ts'
import { type HelpDeps, helpCommand } from './help.ts'
import { type HistoryDeps, historyCommand } from './history.ts'
import { type LanguageDeps, languageCommand } from './language.ts'
import { type ModelDeps, modelCommand } from './model.ts'
import { type NewDeps, newCommand } from './new.ts'
import { type SpendDeps, spendCommand } from './spend.ts'
import { startCommand } from './start.ts'
import { type StopDeps, stopCommand } from './stop.ts'
import { type SystemDeps, systemCommand } from './system.ts'
import { type UsageDeps, usageCommand } from './usage.ts'
import { type VideoDeps, videoCommand } from './video.ts'

/** What all commands together need. */
export type AllCommandDeps = AccessDeps &
  BalanceDeps &
  CostNoteDeps &
  DraftsDeps &
  ExportDeps &
  ForgetDeps &
  HelpDeps &
  HistoryDeps &
  LanguageDeps &
  ModelDeps &
  NewDeps &
  SpendDeps &
  StopDeps &
  SystemDeps &
  UsageDeps &
  VideoDeps

/**
 * Every command of the bot, in the order of the menu: the dispatcher, Telegram's menu, `/help` and
 * README's table read this list. A new command is a file, a line here, and a text in each language.
 */
export const COMMANDS: readonly CommandDefinition<AllCommandDeps>[] = [
  startCommand,
  newCommand,
  modelCommand,
  systemCommand,
  stopCommand,
  videoCommand,
  historyCommand,
  exportCommand,
  usageCommand,
  languageCommand,
  draftsCommand,
  forgetCommand,
  helpCommand,
  balanceCommand,
  spendCommand,
  costNoteCommand,
  accessCommand,
]
