import { type Command, CommanderError } from 'commander'
import { MendableError } from '../../platform/mendable.ts'
import { openEnvironment } from '../../process/config/environment.ts'

/** Everything that the commands of a program get from its process. */
export interface CommandDeps {
  use: string
  env: NodeJS.ProcessEnv
  print: (text: string) => void
}

/**
 * Runs a program with arguments.
 *
 * An error of a command is one sentence on standard error, with exit status 2. A command that means something by
 * another status sets `process.exitCode`.
 *
 * @param env Undefined for the environment of this process with `.env`.
 */
export async function runProgram(
  createProgram: (deps: CommandDeps) => Command,
  { use, args, env }: { use: string; args: readonly string[]; env?: NodeJS.ProcessEnv },
): Promise<void> {
  process.stdout.on('error', passOverBrokenPipe)
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  try {
    const program = createProgram({ use, env: env ?? openEnvironment().read(), print })
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return // Help that was asked for.
    process.stderr.write(`${toSentence(error as Error)}\n`)
    process.exitCode = error instanceof MendableError ? error.status : 2
  }
}

/** The reader of a pipe may leave early, as `head` does: the command ends its work all the same. */
function passOverBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function toSentence({ message }: Error): string {
  // Prisma quotes the database's own words at the end of several lines.
  const [, quoted] = /Message: `(.*)`$/.exec(message) ?? []
  // The error of a host that refuses at each of its addresses has no message of its own.
  return quoted ?? (message.split('\n')[0] || 'The database cannot be reached')
}
