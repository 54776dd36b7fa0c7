import { resolve } from 'node:path'
import type { Command } from 'commander'
import { writeCommand } from '../../platform/write-command.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { readEnvFile, writeEnvFile } from './env-file.ts'
import { setUp } from './set-up.ts'
import { CancelledError, openTerminal } from './terminal.ts'

const ENV_FILE = '.env'

/** The exit status of a program that Ctrl-C ended. */
const CANCELLED = 130

/** `kopeck setup`: from a token and a key to a file that `npm start` runs by. */
export function createSetupProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Asks for the token of a bot, a key of an upstream and an admin, tries each, and writes them into .env in the ' +
      'working directory. Keys are not shown. It needs a terminal.',
  }).action(run)

  async function run(): Promise<void> {
    const { stdin: input, stdout: output } = process
    if (!input.isTTY || !output.isTTY) {
      throw new Error(
        `${use} asks its questions on a terminal, and here is none: .env.example lists what to write into .env by hand`,
      )
    }
    const path = resolve(ENV_FILE)
    const written = await readEnvFile(path)
    const terminal = openTerminal({ input, output, isDumb: env.TERM === 'dumb' })
    try {
      const isDone = await setUp({
        conversation: terminal,
        env,
        signal: terminal.signal,
        written,
        path,
        write: (changes) => writeEnvFile(path, changes),
      })
      if (isDone) print(`\nStart it:\n\n    ${writeCommand('start')}`)
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      print('\nNothing was written.')
      process.exitCode = CANCELLED
    } finally {
      terminal.close()
    }
  }
}
