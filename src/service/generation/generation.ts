import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/database.ts'
import type { Instance } from '../../database/instance.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Callbacks } from '../callback/callbacks.ts'
import type { ServiceConfig } from '../service-config.ts'
import type { S3Config } from '../service-config-storage.ts'
import { createBucket } from './bucket.ts'
import { createBucketStorage } from './bucket-storage.ts'
import { createTaskRoute } from './create-task-route.ts'
import type { Endpoint } from './endpoint.ts'
import { createEndpoints } from './endpoints.ts'
import { createFiles } from './files.ts'
import { createStorage } from './storage.ts'
import { createSweeper } from './sweeper.ts'
import { createTaskEnds } from './task-ends.ts'
import { createGetTaskRoute } from './task-route.ts'
import { createTasks } from './tasks.ts'
import { createWorker } from './worker.ts'

export interface GenerationDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id'>
  jobs: Pick<Jobs, 'send' | 'work'>
  callbacks: Pick<Callbacks, 'findProblem' | 'keep' | 'send'>
  /** Absolute path of the folder for results. Every process of the service has the same one. */
  mediaDir: string
  /** Where results go instead; the folder then only sees them pass. */
  s3?: S3Config
  /** Where callers reach `/files`, such as `https://api.example.org`. */
  publicRoot: () => string
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  now?: () => Date
}

export interface Generation {
  /** Creation endpoints and `GET /task/:task_id`, relative to the version; needs `request.account`. */
  routes: FastifyPluginAsync
  /** `/files/:name`, relative to the public root; open to all. */
  files: FastifyPluginAsync
  /** Begins to drive tasks, those first that an earlier process left behind. */
  start(): Promise<void>
  /** Lets running visits end for `timeoutMs`; what is cut off goes on at the next start, or elsewhere. */
  stop(timeoutMs: number): Promise<void>
}

/** Everything about tasks: their creation, the work behind them, and their stored results. */
export function createGeneration({
  config,
  ...deps
}: GenerationDeps & { config: Pick<ServiceConfig, 'generation' | 'storage'> }): Generation {
  const s3 = config.storage
  return createGenerationOf(createEndpoints(config.generation), { ...deps, ...(s3 && { s3 }) })
}

/** The same with endpoints that are already made. */
export function createGenerationOf(
  endpoints: readonly Endpoint[],
  {
    database,
    instance,
    jobs,
    callbacks,
    mediaDir,
    s3,
    publicRoot,
    log,
    now = () => new Date(),
  }: GenerationDeps,
): Generation {
  const { pool: sql } = database
  const leaseOwner = instance.id
  const tasks = createTasks({ sql, leaseOwner })
  const bucket = s3 && createBucket(s3)
  const storage = bucket
    ? createBucketStorage({ bucket, spoolDir: join(mediaDir, 'spool') })
    : createStorage({ mediaDir })
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const ends = createTaskEnds({ pool: database.pool, tasks, leaseOwner, callbacks, publicRoot })
  const worker = createWorker({ endpoints: byPath, tasks, ends, storage, log, now })
  const sweeper = createSweeper({ tasks, jobs, log })

  return {
    files: createFiles({ mediaDir, bucket, bucketUrl: s3?.publicUrl }),
    async routes(app) {
      for (const endpoint of endpoints) {
        await app.register(createTaskRoute(endpoint, { sql, jobs, callbacks, log }))
      }
      await app.register(createGetTaskRoute({ sql, publicRoot }))
    },
    async start() {
      await storage.removeLeftovers(now())
      await jobs.work('generation', worker.visit)
      await sweeper.start()
    },
    async stop(timeoutMs) {
      await sweeper.stop()
      await worker.stop(timeoutMs)
      await storage.close()
    },
  }
}
