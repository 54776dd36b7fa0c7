import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../platform/database/database.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import type { DueRows, Worker } from '../../platform/jobs/due-rows.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { Callbacks } from '../callback/callbacks.ts'
import type { Storage } from '../storage/storage.ts'
import { createProviderTrouble, type ProviderTroubleDeps } from './provider-trouble.ts'
import { createStorageTrouble } from './storage-trouble.ts'
import { createTasks } from './tasks.ts'
import { createTaskVisits, type KnownEndpoints } from './visit-task.ts'

/** Tasks that a process drives at once: a provider may take minutes for a step. */
const TASKS_MAX = 8

export interface GenerationDeps extends Partial<Omit<ProviderTroubleDeps, 'log'>> {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id' | 'leased'>
  dueRows: DueRows
  callbacks: Pick<Callbacks, 'keep'>
  endpoints: KnownEndpoints
  storage: Storage
  publicRoot: () => string
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  onStorageRefused?: (code: string) => void
  clock?: Clock
}

/** Wires what drives the tasks of the endpoints. */
export function createGeneration({
  database,
  instance,
  dueRows,
  callbacks,
  endpoints,
  storage,
  publicRoot,
  log,
  onStorageRefused = () => {},
  onProviderFailed = () => {},
  onProviderRefused = () => {},
  clock = systemClock,
}: GenerationDeps) {
  const tasks = createTasks({
    pool: database.pool,
    instance,
    callbacks,
    publicRoot,
    log,
    clock,
  })
  const { visit } = createTaskVisits({
    endpoints,
    instance,
    tasks,
    storage,
    storageTrouble: createStorageTrouble({ log, clock, onRefused: onStorageRefused }),
    providerTrouble: createProviderTrouble({ log, onProviderFailed, onProviderRefused }),
    log,
    clock,
  })
  let worker: Worker | undefined

  return {
    async start(): Promise<void> {
      await storage.removePartial().catch((error: unknown) => {
        log.error({ err: error }, 'what was left of cut writes cannot be removed')
      })
      worker = dueRows.work({
        table: { name: 'service.task', key: 'id' },
        concurrency: TASKS_MAX,
        visit,
      })
    },
    async stop(timeoutMs: number): Promise<void> {
      await worker?.stop(timeoutMs)
    },
  }
}
