import type { Command } from 'commander'
import { type BuildInfo, readBuildInfo } from '../platform/build-info.ts'
import { createProgram } from './command-line/create-program.ts'
import { type CommandDeps, runProgram } from './command-line/run-program.ts'

interface Subcommand {
  about: string
  load?: () => Promise<(deps: CommandDeps) => Command>
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  start: { about: 'run the bot and the service' },
  demo: {
    about: 'play one conversation and one clip through the whole program',
    load: async () => (await import('./demo-program.ts')).createDemoProgram,
  },
  playground: {
    about: 'run a Bot API server and its page, for a bot of your own',
    load: async () => (await import('./playground-program.ts')).createPlaygroundProgram,
  },
  setup: {
    about: 'ask for a token, a key and an admin, try each, and write .env',
    load: async () => (await import('./setup/setup-program.ts')).createSetupProgram,
  },
  models: {
    about: 'list the models that a start would offer, with the source of each price, or try them',
    load: async () => (await import('./models/models-program.ts')).createModelsProgram,
  },
  account: {
    about: 'keep the accounts of the service: their money, keys and limits',
    load: async () => (await import('./account/account-program.ts')).createAccountProgram,
  },
  callbacks: {
    about: 'show how callbacks were delivered, and send them again',
    load: async () => (await import('./callbacks-program.ts')).createCallbacksProgram,
  },
  spend: {
    about: 'check the sums of what users spent, or make them again',
    load: async () => (await import('./spend-program.ts')).createSpendProgram,
  },
  backup: {
    about: 'back up the embedded database and the media to one file',
    load: async () => (await import('./backup/backup-program.ts')).createBackupProgram,
  },
  restore: {
    about: 'restore a backup into an empty data folder',
    load: async () => (await import('./backup/restore-program.ts')).createRestoreProgram,
  },
  migrate: {
    about: 'bring the database up to date, and start nothing',
    load: async () => (await import('./migrate-program.ts')).createMigrateProgram,
  },
}

/** Runs the subcommand of that name, or shows how `kopeck` is used. Ends with status 2 if there is none of that name. */
export async function runKopeck(name: string, args: readonly string[]): Promise<void> {
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  if (subcommand?.load === undefined) {
    const build = await readBuildInfo()
    return await runProgram(() => createOverview(build), {
      use: 'kopeck',
      args: name === '' ? args : [name, ...args],
      // A report of a fault begins with the version, also of what .env breaks.
      env: process.env,
    })
  }
  await runProgram(await subcommand.load(), { use: findUse(name), args })
}

/** @returns The words that a person typed: the subcommands are scripts of npm, too, under the same names. */
function findUse(name: string): string {
  return process.env.npm_lifecycle_event === name ? `npm run ${name} --` : `kopeck ${name}`
}

function createOverview(build: BuildInfo): Command {
  const kopeck = createProgram({
    use: 'kopeck',
    about: 'Chat and media generation in Telegram, every kopeck accounted for.',
  })
    .version(describeBuild(build), '-V, --version', 'say which version this is')
    .addHelpText(
      'after',
      '\nA report of a fault begins with the line that kopeck --version prints.',
    )
  for (const [name, { about }] of Object.entries(SUBCOMMANDS)) {
    const command = kopeck.command(name).description(about)
    if (name === 'start') command.argument('[ROLE]', 'bot or service, to run that one alone')
  }
  return kopeck
}

function describeBuild({ version, commit }: BuildInfo): string {
  const { versions, platform, arch } = process
  return `kopeck ${version} (commit ${commit}, Node ${versions.node}, ${platform}-${arch})`
}
