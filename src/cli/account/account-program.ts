import type { Command } from 'commander'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { withPool } from '../command-line/with-pool.ts'
import { addAccountCommands } from './account-commands.ts'
import type { AccountDeps } from './account-deps.ts'
import { addCheckCommand } from './check-command.ts'
import { addHistoryCommand } from './history-command.ts'
import { addKeyCommands } from './key-commands.ts'
import { addLimitsCommand } from './limits-command.ts'
import { addMoneyCommands } from './money-commands.ts'
import { addStateCommands } from './state-commands.ts'
import { addUsageCommand } from './usage-command.ts'

/** `kopeck account`: accounts of the service, their money and their keys. */
export function createAccountProgram({ use, env, print }: CommandDeps): Command {
  const program = createProgram({
    use,
    about: 'Keeps the accounts of the service: their money, their API keys, their limits.',
  })
  const deps: AccountDeps = {
    use,
    env,
    print,
    onDatabase: (work) => withPool({ env, migrates: true }, work),
  }
  addAccountCommands(program.commandsGroup('Accounts:'), deps)
  addStateCommands(program, deps)
  addLimitsCommand(program, deps)
  addMoneyCommands(program.commandsGroup('Money:'), deps)
  addHistoryCommand(program, deps)
  addUsageCommand(program, deps)
  addCheckCommand(program, deps)
  addKeyCommands(program.commandsGroup('API keys:'), deps)
  return program
}
