import type { Instance } from '../../platform/database/instance/instance.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Callbacks } from '../callback/callbacks.ts'
import type { Completions } from '../chat/completions.ts'
import type { ServedModels } from '../chat/models.ts'
import type { Unsettled } from '../chat/unsettled.ts'
import type { Endpoint, KnownRefusal } from '../generation/endpoints.ts'
import type { Pool } from '../ledger/sql.ts'
import type { Metrics } from '../metrics.ts'
import type { RequestKeys } from './requests.ts'

export interface HttpContext {
  pool: Pool
  keys: RequestKeys
  completions: Pick<Completions, 'run'>
  callbacks: Pick<Callbacks, 'findProblem'>
  metrics: Pick<Metrics, 'requestEnded' | 'streamOpened'>
  offers: {
    models(): ServedModels
    endpoints(): readonly Endpoint[]
    findOffered(path: string): Endpoint | undefined
  }
  findShortage(): Promise<KnownRefusal | undefined>
  unsettled: Pick<Unsettled, 'storeFirst'>
  instance: Pick<Instance, 'id'>
  clock: Pick<Clock, 'now' | 'sleep'>
  /** Returns the root at which the outside world reaches this process; without `/files`. */
  publicRoot(): string
  mediaDir: string
  corsOrigins?: ReadonlySet<string> | undefined
}
