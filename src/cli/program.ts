/**
 * The parts that all commands share: the program of commander, its run, readers of arguments and the database.
 *
 * Invariant: an error is one sentence on standard error and exit status 2. A command whose result has another status
 * sets `process.exitCode`.
 */
import { Command, CommanderError, Option } from 'commander'
import type pg from 'pg'
import { openDatabase } from '../platform/database/database.ts'
import { toDatabaseRefusal } from '../platform/database/database-refused.ts'
import { joinDatabase } from '../platform/database/embedded.ts'
import { migrate } from '../platform/database/migrate.ts'
import { MendableError } from '../platform/mendable.ts'
import { openEnvironment } from '../process/environment.ts'
import { writeJson } from './output.ts'

export interface CommandContext {
  /** The words that start the command, for its help. */
  use: string
  about?: string | undefined
  env: NodeJS.ProcessEnv
  print: (text: string) => void
}

/** Creates a program: one command itself (`argument()`, `action()`), or one to which commands are added. */
export function createProgram({ use, about = '' }: Pick<CommandContext, 'use' | 'about'>): Command {
  return new Command(use)
    .description(about)
    .helpOption('-h, --help', 'usage')
    .helpCommand(false)
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .exitOverride((end) => {
      throw end.exitCode === 0 ? end : new Error(`${describeMisuse(end)}: see ${use} --help`)
    })
}

/** Commander describes a wrong argument in one line, and its guesses in a second line. */
function describeMisuse({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing'
  const [problem = '', ...guesses] = message.replace(/^error: /, '').split('\n')
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`.replace(/\.$/, '')
  return [sentence, ...guesses].join(' ')
}

/** Runs a program with arguments. The default of `env` is the environment of this process with `.env`. */
export async function runProgram(
  create: (context: CommandContext) => Command,
  { args, env, ...help }: Partial<CommandContext> & { use: string; args: readonly string[] },
): Promise<void> {
  process.stdout.on('error', ignoreBrokenPipe)
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  try {
    const program = create({ ...help, env: env ?? openEnvironment().read(), print })
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return // Help that was asked for.
    writeToOperator(toSentence(error as Error))
    process.exitCode = error instanceof MendableError ? error.status : 2
  }
}

/** The reader of a pipe may leave early, as `head` does: the command still ends its work. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function toSentence({ message }: Error): string {
  // Prisma quotes the words of the database at the end of several lines.
  const [, quoted] = /Message: `(.*)`$/.exec(message) ?? []
  // A host that refuses at each of its addresses gives an error without a message.
  return quoted ?? (message.split('\n')[0] || 'The database cannot be reached')
}

export function writeToOperator(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

/** Does the work of a command on the database, through one connection. It may be read-only if nothing migrates. */
export async function onDatabase<T>(
  { env }: Pick<CommandContext, 'env'>,
  work: (pool: pg.Pool) => Promise<T>,
  { migrates } = { migrates: true },
): Promise<T> {
  const { url, stop } = await joinDatabase(env)
  try {
    if (migrates) await migrate(url)
    const { pool, close } = openDatabase({ url, use: 'command', connectionsMax: 1 })
    try {
      const client = await pool.connect().catch((error) => {
        throw toDatabaseRefusal(error, url)
      })
      client.release()
      return await work(pool)
    } finally {
      await close()
    }
  } finally {
    await stop()
  }
}

/** Readers of arguments by placeholders such as ACCOUNT_ID. Their errors name the argument; other arguments are texts. */
export type Readers = Readonly<Record<string, (text: string, of: string) => unknown>>

/**
 * Returns a function that adds commands on the database. The result of a command is printed: a text, unless it is empty,
 * or one line of JSON.
 *
 * A placeholder names its reader `<RUB>`, or `<RUB|none>`, of which `none` is read as false.
 */
export function createAdd(program: Command, context: CommandContext, readers: Readers) {
  return function add<Args extends unknown[]>(
    usage: string,
    about: string,
    run: (pool: pg.Pool, ...args: Args) => Promise<string | object>,
    options: Readonly<Record<string, string>> = {},
  ): void {
    const command = program.command(usage).description(about)
    for (const argument of command.registeredArguments) {
      const name = argument.name()
      argument.argParser(findReader(name, name))
    }
    for (const [flags, about] of Object.entries(options)) {
      const option = new Option(flags, about)
      const [, placeholder] = /<(.*)>/.exec(flags) ?? []
      if (placeholder) option.argParser(findReader(placeholder, option.long ?? ''))
      command.addOption(option)
    }
    command.action(async (...args: unknown[]) => {
      const result = await onDatabase(context, (pool) => run(pool, ...(args as Args)))
      if (result !== '') context.print(typeof result === 'string' ? result : writeJson(result))
    })
  }

  function findReader(placeholder: string, of: string): (text: string) => unknown {
    const [name = '', word] = placeholder.split('|')
    const read = readers[name]
    return (text) => (text === word ? false : read ? read(text, of) : text)
  }
}

export type Add = ReturnType<typeof createAdd>

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
