import type { Command } from 'commander'
import { readBuildInfo } from '../platform/build-info.ts'
import { joinDatabase } from '../platform/database/embedded/join-database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { writeJson } from './output.ts'
import { type CommandContext, createProgram, runProgram } from './program.ts'

type Create = (context: CommandContext) => Command

interface Subcommand {
  about: string
  load?: () => Promise<Create>
}

/** A subcommand loads only the modules that it needs. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  start: { about: 'the bot and the service' },
  demo: {
    about: 'one conversation and one video through the whole program',
    load: async () => createDemoProgram,
  },
  playground: {
    about: 'Bot API server and chat page for a bot of your own',
    load: async () => (await import('./playground.ts')).createPlaygroundProgram,
  },
  setup: {
    about: 'questions for token, key and admin, which are tried and written to .env',
    load: async () => (await import('./setup/setup.ts')).createSetupProgram,
  },
  models: {
    about: 'models that a start would offer, with the source of each price',
    load: async () => (await import('./models.ts')).createModelsProgram,
  },
  account: {
    about: 'accounts of the service: money, keys and limits',
    load: async () => (await import('./account/account.ts')).createAccountProgram,
  },
  callbacks: {
    about: 'callbacks of tasks: their attempts, and new attempts',
    load: async () => (await import('./callbacks.ts')).createCallbacksProgram,
  },
  spend: {
    about: 'check and rebuild of the sums of what users spent',
    load: async () => (await import('./spend.ts')).createSpendProgram,
  },
  backup: {
    about: 'the embedded database and the media as one file',
    load: async () => (await import('./backup.ts')).createBackupProgram,
  },
  restore: {
    about: 'a backup into an empty data folder',
    load: async () => (await import('./restore.ts')).createRestoreProgram,
  },
  migrate: {
    about: 'migrations of the database, without a start',
    load: async () => createMigrateProgram,
  },
}

/** Runs a subcommand, or shows the usage of `kopeck`. Exit status 2 if there is no such subcommand. */
export async function runKopeck(name: string, args: readonly string[]): Promise<void> {
  const load = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name]?.load : undefined
  if (load === undefined) {
    const overview = await createOverview()
    const typed = name === '' ? args : [name, ...args]
    // The version is for reports of faults, including those of .env.
    return await runProgram(() => overview, { use: 'kopeck', args: typed, env: process.env })
  }
  // npm has a script for each subcommand.
  const isScript = process.env.npm_lifecycle_event === name
  await runProgram(await load(), { use: isScript ? `npm run ${name} --` : `kopeck ${name}`, args })
}

async function createOverview(): Promise<Command> {
  const { version, commit } = await readBuildInfo()
  const { versions, platform, arch } = process
  const build = `kopeck ${version} (commit ${commit}, Node ${versions.node}, ${platform}-${arch})`
  const about = 'Chat and media generation in Telegram, every kopeck accounted for'
  const kopeck = createProgram({ use: 'kopeck', about }).version(
    build,
    '-V, --version',
    'version, for reports of faults',
  )
  for (const [name, { about }] of Object.entries(SUBCOMMANDS)) {
    const command = kopeck.command(name).description(about)
    if (name === 'start') command.argument('[ROLE]', 'bot or service (default: both)')
  }
  return kopeck
}

function createDemoProgram({ use, env }: CommandContext): Command {
  const about =
    'One conversation and one video through the whole program, printed as the user sees it; the video stays in DATA_DIR'
  return createProgram({ use, about }).action(async () => {
    const { playDemo } = await import('../demo.ts')
    await playDemo(env.DATA_DIR || './data')
  })
}

function createMigrateProgram({ use, env, print }: CommandContext): Command {
  const about = 'Migrations of the database, as at every start'
  return createProgram({ use, about }).action(async () => {
    const { url, stop } = await joinDatabase(env)
    try {
      print(writeJson({ applied: await migrate(url) }))
    } finally {
      await stop()
    }
  })
}
