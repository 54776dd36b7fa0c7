import type { MenuButton, UserFromGetMe } from 'grammy/types'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { createCallLog, type RecordedCall } from './checks/call-log.ts'
import { createFaults, type Fault, type SetFault } from './checks/faults.ts'
import { createRates, type FloodProfile } from './checks/rates.ts'
import { type Chats, createChats } from './control/chats.ts'
import { makeInitData } from './control/mini-apps.ts'
import { createPeople, type People } from './control/people.ts'
import { menuButtonOf } from './methods/bot-settings.ts'
import { createDispatch } from './methods/dispatch.ts'
import type { MethodDeps } from './methods/method.ts'
import { createServer, rootOf } from './server.ts'
import { type CommandList, newState } from './state.ts'
import type { Store } from './store.ts'
import { createCallbackQueries, type PressedButton } from './updates/callback-queries.ts'
import { createChanges, type PlaygroundChange, waitForChange } from './updates/changes.ts'
import { createPolls } from './updates/polls.ts'
import { createUpdateQueue } from './updates/update-queue.ts'
import { createWebhook } from './updates/webhook.ts'
import { webPlugin } from './web/web-plugin.ts'
import { isLoopback, pageKeyOf } from './web/who-gets-in.ts'
import { type BotOptions, describeBot, makeToken } from './world/bot.ts'
import { createFileStore } from './world/files.ts'
import { type PlaygroundMessage, toLine, toPlaygroundMessage } from './world/message.ts'
import { createWorld } from './world/world.ts'

export interface PlaygroundOptions extends BotOptions {
  /** Its number is the bot's id. Default: the store's token, or one that no bot has in Telegram. */
  token?: string | undefined
  /** Outlives a restart; without a store everything is in memory. It is written when the playground closes. */
  store?: Store | undefined
  /**
   * The first id of messages and updates in a new playground; default 1. A bot that remembers an earlier playground
   * takes an id that it knows for the same message.
   */
  idsFrom?: number
  /** Default `real`. */
  flood?: FloodProfile
  /** `cloud` refuses webhooks that Telegram would not reach; default `local`, which delivers anywhere. */
  webhooks?: 'local' | 'cloud'
  clock?: Clock
  /** Default 127.0.0.1, for this machine alone. */
  host?: string
  /** Default 0, which means a free one. */
  port?: number
  /** True while demo models answer: the page shows how to use a real model. Default: false. */
  isDemo?: () => boolean
  /** Reports errors that should not happen: a write that failed, a mistake of the playground. */
  onTrouble?: (error: unknown) => void
}

/** A Bot API server for one machine, and the people who talk to its bot. */
export interface Playground extends Chats, People {
  readonly token: string
  readonly me: UserFromGetMe
  /** Every call to the Bot API, oldest first. */
  readonly calls: readonly RecordedCall[]
  /**
   * @returns The root that a bot is given, without a slash at its end, and the address of the page: the same, with the
   *   page's key if others reach it.
   */
  listen(): Promise<{ apiRoot: string; pageUrl: string }>
  /** Ends waiting polls and held calls by closing their connections. */
  close(): Promise<void>
  /** The button that was pressed, and the bot's answer to the callback query. */
  pressed(callbackQueryId: string): PressedButton | undefined
  /** The messages of a chat in order, without deleted ones. */
  transcript(chatId: number): PlaygroundMessage[]
  /** The chat action that shows at this moment. */
  visibleAction(chatId: number): string | undefined
  /** The command lists that were set, one for each scope and language. */
  commands(): CommandList[]
  /** The button that a user sees beside the field for messages. */
  menuButton(userId: number): MenuButton
  /** Makes the signed init data of a page that a user opens from the bot now. */
  initData(userId: number): string
  /** Makes the next calls go wrong. */
  fault(fault: Fault): SetFault
  onChange(listener: (change: PlaygroundChange) => void): () => void
  /**
   * Waits until `look` finds something, looking again after every change.
   *
   * @param options.timeoutMs Of the machine's time, 30 s by default. Then it rejects with the transcripts.
   */
  waitFor<T>(
    look: (playground: Playground) => T | undefined | null | false,
    options?: { timeoutMs?: number },
  ): Promise<T>
}

/** Builds a playground. Messages, files and calls are kept in memory, each within a bound. */
export function createPlayground(options: PlaygroundOptions = {}): Playground {
  const { clock = systemClock, host = '127.0.0.1', port = 0 } = options
  const { onTrouble = () => {}, idsFrom = 1, store } = options
  const token = options.token ?? store?.token ?? makeToken()
  const me = describeBot(token, options)
  const closing = new AbortController()
  const changes = createChanges()
  const state = store?.state ?? newState(token, idsFrom)
  const world = createWorld({ me, idsFrom, state, clock, changes })
  const queue = createUpdateQueue({ state, clock })
  const files = createFileStore({ byId: state.files, folder: store?.filesFolder })
  const keptWebhook = state.webhook
  const methodDeps: MethodDeps = {
    state,
    world,
    queue,
    files,
    clock,
    closing: closing.signal,
    polls: createPolls({ queue, clock, closing: closing.signal }),
    webhook: createWebhook({ state, queue, clock, closing: closing.signal }),
    callbackQueries: createCallbackQueries({ state, clock, changes }),
    webhooks: options.webhooks ?? 'local',
  }
  const keeper = store?.keep(changes, onTrouble)
  const callLog = createCallLog({ clock, changes })
  const faults = createFaults({ closing: closing.signal })
  const rates = createRates({ profile: options.flood ?? 'real', clock })
  const dispatch = createDispatch({ methodDeps, rates, faults, callLog, onTrouble })
  const server = createServer({ token, files, callLog, dispatch })
  const chats = createChats(methodDeps)
  const people = createPeople(methodDeps, chats)
  const key = isLoopback(host) ? undefined : pageKeyOf(token)

  const playground: Playground = {
    ...chats,
    ...people,
    token,
    me,
    calls: callLog.calls,
    listen,
    close,
    initData,
    pressed: (id) => methodDeps.callbackQueries.presses.get(id),
    transcript,
    visibleAction,
    commands: () => [...state.commandLists.values()],
    menuButton: (userId) => menuButtonOf(userId, state.menuButtons),
    fault: faults.set,
    onChange: changes.subscribe,
    waitFor: (look, { timeoutMs } = {}) =>
      waitForChange(() => look(playground), { changes, describe, timeoutMs }),
  }
  const { isDemo = () => false } = options
  const webDeps = { ...methodDeps, changes, control: playground, transcript, isDemo, onTrouble }
  server.register(webPlugin, { deps: webDeps, key })
  return playground

  async function listen(): Promise<{ apiRoot: string; pageUrl: string }> {
    await server.listen({ host, port })
    if (keptWebhook) methodDeps.webhook.set(keptWebhook)
    const apiRoot = rootOf(host, server.server.address())
    return { apiRoot, pageUrl: key === undefined ? apiRoot : `${apiRoot}/?key=${key}` }
  }

  async function close(): Promise<void> {
    closing.abort(new Error('The playground is closed'))
    await server.close()
    keeper?.close()
  }

  /** @throws If a given token would open the pages of its bot in Telegram to anyone who reaches this playground. */
  function initData(userId: number): string {
    if (!isLoopback(host) && options.token !== undefined) {
      throw new Error(
        'Cannot sign: BOT_TOKEN is given, and HOST is no address of this machine alone',
      )
    }
    return makeInitData(world.personOf(userId).user, { token, at: clock.date() })
  }

  function transcript(chatId: number): PlaygroundMessage[] {
    return Array.from(world.chats.get(chatId)?.messages.values() ?? [], (message) =>
      toPlaygroundMessage(message, files.bytesOf),
    )
  }

  function visibleAction(chatId: number): string | undefined {
    const action = world.chats.get(chatId)?.action
    return action && clock.date().getTime() < action.visibleUntil ? action.name : undefined
  }

  /** Every chat that has messages, and the last calls. */
  function describe(): string {
    const chats = [...world.chats.values()]
      .filter(({ messages }) => messages.size > 0)
      .map(({ id, messages }) => [`chat ${id}`, ...[...messages.values()].map(toLine)])
    const calls = callLog.calls.slice(-10).map(({ method, status, body }) => {
      const why = body && !body.ok ? ` ${body.description}` : ''
      return `  ${method} ${status ?? '(going on)'}${why}`
    })
    return [...chats.flat(), 'last calls', ...calls].join('\n')
  }
}
