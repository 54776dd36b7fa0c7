import type { CallbackQueries } from '../callback-queries.ts'
import type { Changes } from '../changes.ts'
import type { Clock } from '../clock.ts'
import type { CommandLists } from '../command-lists.ts'
import type { Drafts } from '../drafts.ts'
import type { Answer } from '../envelope.ts'
import type { FileStore } from '../files.ts'
import type { Params } from '../params.ts'
import type { Polls } from '../polls.ts'
import type { RateKind, Rates } from '../rates.ts'
import type { UnclosedHtml } from '../rich/context.ts'
import type { UpdateQueue } from '../updates.ts'
import type { Webhook } from '../webhook.ts'
import type { Room, World } from '../world.ts'

/** Everything that methods work on. */
export interface House {
  world: World
  files: FileStore
  queue: UpdateQueue
  polls: Polls
  webhook: Webhook
  /** Whether webhooks may be anywhere or only where Telegram would go to. */
  webhooks: 'local' | 'cloud'
  rates: Rates
  callbackQueries: CallbackQueries
  drafts: Drafts
  commands: CommandLists
  /** What becomes of an open HTML tag in rich Markdown. */
  unclosedHtml: UnclosedHtml
  changes: Changes
  clock: Clock
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** One call on its way. */
export interface Call {
  params: Params
  /** Keeps the call waiting and notes for how long. */
  hold(delayMs: number): Promise<void>
}

/** @throws {ApiError} For everything that Telegram refuses. */
export type Method = (call: Call, house: House) => Answer | Promise<Answer>

/** Passes flood control: goes on at once, waits for its turn, or is refused with 429. */
export async function passFloodControl(
  kind: RateKind,
  room: Room,
  call: Call,
  house: House,
): Promise<void> {
  const waitMs = house.rates.admit(kind, room)
  if (waitMs > 0) await call.hold(waitMs)
}
