import type { CommandDefinition } from '../../command.ts'
import { createSteps, type Step } from '../../steps.ts'
import { type CostNoteDeps, costNoteStep } from './cost-note.ts'
import { type ForgetDeps, forgetStep } from './forget.ts'
import { type FormatDeps, formatStep } from './format.ts'
import { type LanguageDeps, languageStep } from './language.ts'
import { type SystemDeps, systemStep } from './system.ts'

type SettingsDeps = SystemDeps & LanguageDeps & FormatDeps & CostNoteDeps & ForgetDeps

const STEPS: readonly Step<SettingsDeps>[] = [
  systemStep,
  languageStep,
  formatStep,
  costNoteStep,
  forgetStep,
]

/** Shows what a user can set, in a group what holds for all of it: one message, in which buttons lead to each and back. */
export const settingsCommand: CommandDefinition<SettingsDeps> = {
  name: 'settings',
  audience: 'everybody',
  listed: 'in_private',
  create: (deps) => createSteps(STEPS, deps),
}
