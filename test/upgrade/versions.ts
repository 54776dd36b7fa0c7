import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { COMMAND } from '../e2e/kopeck.ts'

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, '../..')
const RELEASES = join(import.meta.dirname, 'releases')

/** UPGRADE_FROM names a clone of another version, with its modules, to upgrade from instead. */
const { UPGRADE_FROM } = process.env

/** One version of Kopeck that can be run. */
export interface Version {
  /** Its command, as Node runs it. */
  command: string
  /** Its migrations, in order. */
  migrations: { name: string; sql: string }[]
}

/** Reads what is being tested. */
export async function readThisVersion(): Promise<Version> {
  return { command: COMMAND, migrations: await readMigrations(ROOT) }
}

/**
 * Unpacks the newest release, for the test that runs. Its folder is below this clone, whose modules it finds: nothing is
 * fetched.
 */
export async function installRelease(): Promise<Version> {
  if (UPGRADE_FROM !== undefined) {
    const command = join(UPGRADE_FROM, 'src/cli/kopeck.ts')
    return { command, migrations: await readMigrations(UPGRADE_FROM) }
  }
  await mkdir(join(ROOT, 'build'), { recursive: true })
  const folder = await mkdtemp(join(ROOT, 'build/release-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await run('tar', ['-xzf', join(RELEASES, await findNewest()), '-C', folder])
  const root = join(folder, 'package')
  return { command: join(root, 'src/cli/kopeck.js'), migrations: await readMigrations(root) }
}

/** Runs a command of a version to its end. @returns What it printed; rejects where it fails. */
export async function runCommand(
  { command }: Version,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const { stdout } = await run(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  })
  return stdout
}

async function findNewest(): Promise<string> {
  const names = (await readdir(RELEASES)).filter((name) => name.endsWith('.tgz'))
  const newest = names.sort(new Intl.Collator('en', { numeric: true }).compare).at(-1)
  if (newest === undefined) throw new Error(`Cannot find a release in ${RELEASES}`)
  return newest
}

async function readMigrations(root: string): Promise<Version['migrations']> {
  const folder = join(root, 'prisma/migrations')
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return await Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(join(folder, name, 'migration.sql'), 'utf8'),
    })),
  )
}
