import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startKopeck } from '../support/kopeck.ts'
import type { Mutation } from './mutations/mutation.ts'
import { startSecondService } from './second-service/second-service.ts'
import type { SourceCopy } from './source-copy.ts'

/** A clip and what a minute allows of them; less than a million tokens of any answer. */
const CREDIT_RUB = '600'

const run = promisify(execFile)

/** A service to be judged: where it is, two accounts, and the names at which it fails. */
export interface Judged {
  baseUrl: string
  apiKey: string
  otherKey: string
  provocations: readonly string[]
  stop(): Promise<unknown>
}

/** Where a judged service may be run, and what may reach it. */
export interface Place {
  copy: SourceCopy
  createDatabase(): Promise<string>
  /** Of this machine: the one private place that callbacks may go to. */
  receiver: string
}

/** What is judged: our service, faultless or with a fault, or the other one. */
export interface Subject {
  name: string
  /** The fault; undefined where there is none. */
  breaks?: string
  start(place: Place): Promise<Judged>
}

export const SECOND_SERVICE: Subject = {
  name: 'second-service',
  start: ({ receiver }) => startSecondService({ openTo: receiver }),
}

export const FAULTLESS: Subject = { name: 'faultless', start: startOurs }

/** Our service with a fault. */
export function toSubject({ name, breaks, edits }: Mutation): Subject {
  return { name, breaks, start }

  async function start(place: Place): Promise<Judged> {
    const repair = await place.copy.change({ edits })
    try {
      const judged = await startOurs(place)
      return {
        ...judged,
        async stop() {
          await judged.stop()
          await repair()
        },
      }
    } catch (error) {
      await repair()
      throw error
    }
  }
}

/** Starts the service of a copy as a process of its own, on an empty database, and opens two accounts. */
async function startOurs({ copy, createDatabase, receiver }: Place): Promise<Judged> {
  const { folder, command } = copy
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const env = {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: dataDir,
    CALLBACK_ALLOW: receiver,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const kopeck = await startKopeck(env, ['service'], { command, cwd: folder })
  try {
    return {
      baseUrl: `${kopeck.address}/api/v1`,
      apiKey: await openAccount('customer'),
      otherKey: await openAccount('somebody else'),
      provocations: ['demo'],
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }

  /** The copy makes it, with its fault: the secret is made there, too. */
  async function openAccount(name: string): Promise<string> {
    const args = [command, 'account', 'create', '--name', name, '--credit', CREDIT_RUB]
    const { stdout } = await run(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      cwd: folder,
    })
    return (JSON.parse(stdout) as { api_key: string }).api_key
  }

  async function stop(): Promise<void> {
    await kopeck.kill()
    await rm(dataDir, { recursive: true })
  }
}
