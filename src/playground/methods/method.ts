import type { BotCommand, BotCommandScope, MenuButton } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import type { RateKind } from '../checks/rates.ts'
import type { UnclosedHtml } from '../rich/context.ts'
import type { CallbackQueries } from '../updates/callback-queries.ts'
import type { Polls } from '../updates/polls.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import type { Webhook } from '../updates/webhook.ts'
import type { MethodAnswer } from '../wire/envelope.ts'
import type { Params } from '../wire/params.ts'
import type { DraftStore } from '../world/drafts.ts'
import type { FileStore } from '../world/files.ts'
import type { StoredChat, World } from '../world/world.ts'

/** Commands as they were set for one scope and language. None is merged with another. */
export interface CommandList {
  scope: BotCommandScope
  /** Empty for people of every language. */
  languageCode: string
  commands: BotCommand[]
}

/** Everything that methods work on. */
export interface MethodDeps {
  world: World
  files: FileStore
  queue: UpdateQueue
  polls: Polls
  webhook: Webhook
  /** `cloud` allows webhooks only where Telegram would go to, `local` everywhere. */
  webhooks: 'local' | 'cloud'
  callbackQueries: CallbackQueries
  drafts: DraftStore
  /** The lists by scope and language. */
  commandLists: Map<string, CommandList>
  /** The buttons by user; under 0 the button of all others. */
  menuButtons: Map<number, MenuButton>
  /** The bot's name and descriptions, by what they are and the language. */
  profile: Map<string, string>
  /** The treatment of an open HTML tag in rich Markdown. */
  unclosedHtml: UnclosedHtml
  clock: Clock
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** One call on its way. */
export interface MethodCall {
  params: Params
  /**
   * Goes on at once, or waits for its turn.
   *
   * @throws {ApiError} 429.
   */
  passFloodControl(kind: RateKind, chat: StoredChat): Promise<void>
}

/** @throws {ApiError} If Telegram would refuse the call. */
export type Method = (call: MethodCall, deps: MethodDeps) => MethodAnswer | Promise<MethodAnswer>
