import type { Command } from 'commander'
import { joinDatabase } from '../platform/database/embedded.ts'
import { migrate } from '../platform/database/migrate.ts'
import { readBuildInfo } from '../platform/installation.ts'
import { writeJson } from './output.ts'
import { type CommandContext, createProgram, runProgram } from './program.ts'

const SUBCOMMANDS = {
  start: 'bot and service',
  demo: 'one conversation and one video through the whole program; the video stays in DATA_DIR',
  playground: 'stand-in for Telegram and its chat page, for a bot of your own',
  setup: 'questions for a token, a key and an admin, which are tried and written to .env',
  models: 'models that a start with this environment offers, with price and source of each',
  account: 'accounts of the service: money, keys and limits',
  callbacks: 'callbacks of tasks: their attempts, and new attempts',
  spend: 'sums of the charges of users: check and rebuild',
  backup: 'embedded database and media as one file, which holds secrets; Kopeck may run',
  restore: 'backup into an empty DATA_DIR; never run the copy beside its original (docs/backup.md)',
  migrate: 'migrations of the database, as at every start',
}

type Load = () => Promise<(context: CommandContext) => Command>

/** A subcommand loads only the modules that it needs; `kopeck.ts` runs `start` itself. */
const PROGRAMS: Readonly<Record<Exclude<keyof typeof SUBCOMMANDS, 'start'>, Load>> = {
  demo: async () => createDemoProgram,
  playground: async () => (await import('./playground.ts')).createPlaygroundProgram,
  setup: async () => (await import('./setup/setup.ts')).createSetupProgram,
  models: async () => (await import('./models.ts')).createModelsProgram,
  account: async () => (await import('./account/account.ts')).createAccountProgram,
  callbacks: async () => (await import('./callbacks.ts')).createCallbacksProgram,
  spend: async () => (await import('./spend.ts')).createSpendProgram,
  backup: async () => (await import('./backup.ts')).createBackupProgram,
  restore: async () => (await import('./restore.ts')).createRestoreProgram,
  migrate: async () => createMigrateProgram,
}

export async function runKopeck(name: string, args: readonly string[]): Promise<void> {
  if (!isProgram(name)) {
    const overview = await createOverview()
    const typed = name === '' ? args : [name, ...args]
    // The version is for reports of faults, including those of .env.
    return await runProgram(() => overview, { use: 'kopeck', args: typed, env: process.env })
  }
  // npm has a script for each subcommand.
  const use = process.env.npm_lifecycle_event === name ? `npm run ${name} --` : `kopeck ${name}`
  await runProgram(await PROGRAMS[name](), { use, about: SUBCOMMANDS[name], args })
}

function isProgram(name: string): name is keyof typeof PROGRAMS {
  return Object.hasOwn(PROGRAMS, name)
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
  for (const [name, about] of Object.entries(SUBCOMMANDS)) {
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
