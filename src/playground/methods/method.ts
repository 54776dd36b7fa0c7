import type { Clock } from '../../platform/time/clock.ts'
import type { RateKind } from '../checks/rates.ts'
import type { State, StoredChat } from '../state.ts'
import type { CallbackQueries } from '../updates/callback-queries.ts'
import type { Polls } from '../updates/polls.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import type { Webhook } from '../updates/webhook.ts'
import type { MethodAnswer } from '../wire/envelope.ts'
import type { Params } from '../wire/params.ts'
import type { FileStore } from '../world/files.ts'
import type { World } from '../world/world.ts'

export interface MethodDeps {
  world: World
  files: FileStore
  queue: UpdateQueue
  polls: Polls
  webhook: Webhook
  /** `cloud` allows only webhooks that Telegram would reach. */
  webhooks: 'local' | 'cloud'
  callbackQueries: CallbackQueries
  state: State
  clock: Clock
  closing: AbortSignal
}

export interface MethodCall {
  params: Params
  /** Waits until flood control admits the call. @throws {ApiError} 429. */
  passFloodControl(kind: RateKind, chat: StoredChat): Promise<void>
}

/** @throws {ApiError} If Telegram would refuse the call. */
export type Method = (call: MethodCall, deps: MethodDeps) => MethodAnswer | Promise<MethodAnswer>
