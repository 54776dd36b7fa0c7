import type { Composer } from 'grammy'
import type { BotContext } from '../telegram/addressing/sender.ts'
import { type DispatchDeps, dispatchCommands } from './dispatch.ts'
import { type AllCommandDeps, COMMANDS } from './list.ts'

/** The parts that commands use, under the names by which they ask for them, and those of their dispatcher. */
export type CommandsDeps = AllCommandDeps & DispatchDeps

/** Wires every command on the list. */
export function createCommands(deps: CommandsDeps): Composer<BotContext> {
  const commands = COMMANDS.map((definition) => ({ ...definition, ...definition.create(deps) }))
  return dispatchCommands(commands, deps)
}
