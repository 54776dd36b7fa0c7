import { type AccessDeps, accessCommand } from './admins/access.ts'
import { type BalanceDeps, balanceCommand } from './admins/balance.ts'
import { type CostNoteDeps, costNoteCommand } from './admins/cost-note.ts'
import { type SpendDeps, spendCommand } from './admins/spend.ts'
import type { CommandDefinition } from './command.ts'
import { type DraftsDeps, draftsCommand } from './everybody/drafts.ts'
import { type ExportDeps, exportCommand } from './everybody/export.ts'
import { type ForgetDeps, forgetCommand } from './everybody/forget.ts'
import { type HelpDeps, helpCommand } from './everybody/help.ts'
import { type HistoryDeps, historyCommand } from './everybody/history.ts'
import { type LanguageDeps, languageCommand } from './everybody/language.ts'
import { type ModelDeps, modelCommand } from './everybody/model.ts'
import { type NewDeps, newCommand } from './everybody/new.ts'
import { startCommand } from './everybody/start.ts'
import { type StopDeps, stopCommand } from './everybody/stop.ts'
import { type SystemDeps, systemCommand } from './everybody/system.ts'
import { type UsageDeps, usageCommand } from './everybody/usage.ts'
import { type VideoDeps, videoCommand } from './everybody/video.ts'

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
