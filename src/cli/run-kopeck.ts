import type { Command } from 'commander'
import { readBuildInfo } from '../platform/build-info.ts'
import { joinDatabase } from '../platform/database/embedded/join-database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { writeJson } from './output.ts'
import { type CommandContext, createProgram, runProgram } from './program.ts'

interface Subcommand {
  about: string
  load?: () => Promise<(context: CommandContext) => Command>
}

/** A subcommand loads only the modules that it needs. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  start: { about: 'bot and service' },
  demo: {
    about: 'one conversation and one video through the whole program; the video stays in DATA_DIR',
    load: async () => createDemoProgram,
  },
  playground: {
    about: 'stand-in for Telegram and its chat page, for a bot of your own',
    load: async () => (await import('./playground.ts')).createPlaygroundProgram,
  },
  setup: {
    about: 'questions for a token, a key and an admin, which are tried and written to .env',
    load: async () => (await import('./setup/setup.ts')).createSetupProgram,
  },
  models: {
    about: 'models that a start with this environment offers, with price and source of each',
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
    about: 'sums of the charges of users: check and rebuild',
    load: async () => (await import('./spend.ts')).createSpendProgram,
  },
  backup: {
    about: 'embedded database and media as one file, which holds secrets; Kopeck may run',
    load: async () => (await import('./backup.ts')).createBackupProgram,
  },
  restore: {
    about: 'backup into an empty DATA_DIR; never run the copy beside its original (docs/backup.md)',
    load: async () => (await import('./restore.ts')).createRestoreProgram,
  },
  migrate: {
    about: 'migrations of the database, as at every start',
    load: async () => createMigrateProgram,
  },
}

/** Runs a subcommand, or shows the usage of `kopeck`. Exit status 2 if there is no such subcommand. */
export async function runKopeck(name: string, args: readonly string[]): Promise<void> {
  const { load, about } = (Object.hasOwn(SUBCOMMANDS, name) && SUBCOMMANDS[name]) || {}
  if (load === undefined) {
    const overview = await createOverview()
    const typed = name === '' ? args : [name, ...args]
    // The version is for reports of faults, including those of .env.
    return await runProgram(() => overview, { use: 'kopeck', args: typed, env: process.env })
  }
  // npm has a script for each subcommand.
  const use = process.env.npm_lifecycle_event === name ? `npm run ${name} --` : `kopeck ${name}`
  await runProgram(await load(), { use, about, args })
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

function createDemoProgram({ env, ...help }: CommandContext): Command {
  return createProgram(help).action(async () => {
    const { playDemo } = await import('../demo.ts')
    await playDemo(env.DATA_DIR || './data')
  })
}

function createMigrateProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help).action(async () => {
    const { url, stop } = await joinDatabase(env)
    try {
      print(writeJson({ applied: await migrate(url) }))
    } finally {
      await stop()
    }
  })
}
