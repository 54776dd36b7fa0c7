import type { MenuButton, UserFromGetMe } from 'grammy/types'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { createCallLog, type RecordedCall } from './checks/call-log.ts'
import { createFaults, type Fault, type SetFault } from './checks/faults.ts'
import { createLints, type Lint } from './checks/lints.ts'
import { createRates, type FloodProfile } from './checks/rates.ts'
import { type ChatMaker, createChatMaker } from './control/chat-maker.ts'
import { type ClientSteps, createClientSteps } from './control/client-steps.ts'
import { createMembership, type Membership } from './control/membership.ts'
import { createMiniApps, type MiniApps } from './control/mini-apps.ts'
import { createNewPeople, type NewPeople } from './control/new-people.ts'
import { createPeople, type People } from './control/people.ts'
import { createTopics, type Topics } from './control/topics.ts'
import { isLoopback } from './describe-exposure.ts'
import { createDispatch } from './dispatch.ts'
import { menuButtonOf } from './methods/menu-button.ts'
import type { CommandList, MethodDeps } from './methods/method.ts'
import type { UnclosedHtml } from './rich/context.ts'
import { createServer, rootOf } from './server.ts'
import { createFileJournal } from './store/file-journal.ts'
import { createKeeper } from './store/keeper.ts'
import { readKept } from './store/kept-state.ts'
import type { Store } from './store/store.ts'
import { createCallbackQueries, type PressedButton } from './updates/callback-queries.ts'
import { createChanges, type PlaygroundChange, waitForChange } from './updates/changes.ts'
import { createPolls } from './updates/polls.ts'
import { createUpdateQueue } from './updates/update-queue.ts'
import { createWebhook, type WebhookDelivery } from './updates/webhook.ts'
import { pageKeyOf } from './web/http/who-gets-in.ts'
import { type WebOptions, webPlugin } from './web/web-plugin.ts'
import { type BotOptions, describeBot, makeToken } from './world/bot.ts'
import { createDraftStore, type DraftStore } from './world/drafts.ts'
import { createFileStore } from './world/files.ts'
import { type PlaygroundMessage, toLine, toPlaygroundMessage } from './world/message.ts'
import { createWorld } from './world/world.ts'

export interface PlaygroundOptions extends BotOptions {
  /** The token, whose number is the bot's id. Default: the store's, or one that no bot has in Telegram. */
  token?: string | undefined
  /** The store that outlives a restart; without one all is in memory. It is closed with the playground. */
  store?: Store | undefined
  /**
   * The first id of messages and updates; default 1. A bot that remembers an earlier
   * playground takes an id that it knows for the same message.
   */
  idsFrom?: number
  /** Default `real`. */
  flood?: FloodProfile
  /** The treatment of a tag without its other half in rich Markdown; default `reject`. */
  unclosedHtml?: UnclosedHtml
  /**
   * `cloud` lets a webhook be where Telegram would go to, and a Mini App what Telegram would open; default `local`:
   * webhooks go anywhere, and pages of this machine are opened without https.
   */
  webhooks?: 'local' | 'cloud'
  clock?: Clock
  /** Default 127.0.0.1, for this machine alone. */
  host?: string
  /** Default 0, which means a free one. */
  port?: number
  /** True while demo models answer: the page says how to go on with a key. Default: false. */
  isDemo?: () => boolean
  /** Logs refused calls, without their texts. */
  log?: (line: string) => void
  /** Reports errors that should not happen: a write that failed, a mistake of the playground. */
  onTrouble?: (error: unknown) => void
}

type PublicDrafts = Pick<DraftStore, 'draftFrames' | 'pendingDrafts' | 'pressStop' | 'visibleDraft'>

/** A Bot API server for one machine, and the people who talk to its bot. */
export interface Playground
  extends ChatMaker,
    Membership,
    People,
    Topics,
    ClientSteps,
    NewPeople,
    MiniApps,
    PublicDrafts {
  readonly token: string
  readonly me: UserFromGetMe
  /** Every call to the Bot API, oldest first. */
  readonly calls: readonly RecordedCall[]
  /** The calls that a careful bot would not have made, oldest first. Nothing is refused for it. */
  readonly lints: readonly Lint[]
  /** Every attempt to bring an update to the webhook, oldest first. */
  readonly deliveries: readonly WebhookDelivery[]
  /**
   * @returns The root that a bot is given, without a slash at its end, and the address of the page: the same, with the
   *   page's key where others reach it.
   */
  listen(): Promise<{ apiRoot: string; pageUrl: string }>
  /** Ends waiting polls and held calls by closing their connections. */
  close(): Promise<void>
  /** The button that was pressed, and the bot's answer to the callback query. */
  pressed(callbackQueryId: string): PressedButton | undefined
  /** The live messages of a chat in order. */
  transcript(chatId: number): PlaygroundMessage[]
  /** The chat action that shows at this moment. */
  visibleAction(chatId: number): string | undefined
  /** The command lists that were set, one for each scope and language. */
  commands(): CommandList[]
  /** The button that a user sees beside the field for their message. */
  menuButton(userId: number): MenuButton
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
  const { log = () => {}, onTrouble = () => {}, idsFrom = 1, store } = options
  const token = options.token ?? store?.token ?? makeToken()
  const me = describeBot(token, options)
  const closing = new AbortController()
  const changes = createChanges()
  const kept = store && readKept(store, clock)
  const journal = createFileJournal()
  const world = createWorld({
    me,
    idsFrom,
    clock,
    changes,
    opensLocalPages: options.webhooks !== 'cloud',
    kept: kept?.world,
  })
  const queue = createUpdateQueue({ clock, idsFrom, kept: kept?.queue })
  const webhook = createWebhook({ queue, changes, clock, closing: closing.signal })
  const drafts = createDraftStore({ world, queue, clock })
  const methodDeps: MethodDeps = {
    world,
    queue,
    clock,
    closing: closing.signal,
    files: createFileStore({
      clock,
      kept: kept?.files,
      folder: store?.files,
      journal: store && journal,
    }),
    polls: createPolls({ queue, clock, closing: closing.signal }),
    webhook,
    callbackQueries: createCallbackQueries({ clock, changes, counted: kept?.queryCount }),
    commandLists: new Map(kept?.commandLists),
    menuButtons: new Map(kept?.menuButtons),
    profile: new Map(kept?.profile),
    drafts,
    unclosedHtml: options.unclosedHtml ?? 'reject',
    webhooks: options.webhooks ?? 'local',
  }
  const keeper = store && createKeeper({ store, parts: methodDeps, journal, changes, onTrouble })
  const flush = (chatId?: number) => keeper?.flush(chatId)
  const callLog = createCallLog({ clock, changes })
  const faults = createFaults({ closing: closing.signal })
  const rates = createRates({ profile: options.flood ?? 'real', clock })
  const lints = createLints({ drafts, queue, world })
  const dispatch = createDispatch({
    methodDeps,
    rates,
    faults,
    flush,
    callLog,
    lints,
    log,
    onTrouble,
  })
  methodDeps.webhook.onReply(dispatch.perform)
  const server = createServer({ token, files: methodDeps.files, callLog, dispatch })
  const chatMaker = createChatMaker(world)
  const topics = createTopics(methodDeps)
  const people = createPeople(methodDeps)
  const membership = createMembership(methodDeps)
  const clientSteps = createClientSteps(methodDeps, { people, membership })
  const newPeople = createNewPeople(world, chatMaker)
  const key = isLoopback(host) ? undefined : pageKeyOf(token)
  // A bot in Telegram may have a token that was given: what it signs opens that bot's own pages.
  const signs = isLoopback(host) || options.token === undefined
  const miniApps = createMiniApps(methodDeps, { token, signs })
  // As of the bot's calls, so of people's steps: what is answered is kept.
  server.addHook('onSend', async () => flush())

  const playground: Playground = {
    token,
    me,
    calls: callLog.calls,
    lints: lints.lints,
    deliveries: webhook.deliveries,
    listen,
    close,
    addUser: chatMaker.addUser,
    addGroup: chatMaker.addGroup,
    addChannel: chatMaker.addChannel,
    hasUser: chatMaker.hasUser,
    addTopic: topics.addTopic,
    renamesTopic: topics.renamesTopic,
    topicName: topics.topicName,
    closesTopic: topics.closesTopic,
    reopensTopic: topics.reopensTopic,
    deletesTopic: topics.deletesTopic,
    userSends: people.userSends,
    userSharesContact: people.userSharesContact,
    userEdits: people.userEdits,
    userDeletes: people.userDeletes,
    presses: people.presses,
    blocks: membership.blocks,
    unblocks: membership.unblocks,
    deactivates: membership.deactivates,
    setBotStatus: membership.setBotStatus,
    migrates: membership.migrates,
    userWrites: clientSteps.userWrites,
    userStarts: clientSteps.userStarts,
    userForwards: clientSteps.userForwards,
    userReacts: clientSteps.userReacts,
    userDeletesAll: clientSteps.userDeletesAll,
    newPerson: newPeople.newPerson,
    newGroup: newPeople.newGroup,
    renamesPerson: newPeople.renamesPerson,
    initData: miniApps.initData,
    opensWebApp: miniApps.opensWebApp,
    sendsWebAppData: miniApps.sendsWebAppData,
    pressed: (id) => methodDeps.callbackQueries.presses.get(id),
    transcript,
    visibleAction,
    visibleDraft: drafts.visibleDraft,
    pendingDrafts: drafts.pendingDrafts,
    draftFrames: drafts.draftFrames,
    pressStop: drafts.pressStop,
    commands: () => [...methodDeps.commandLists.values()],
    menuButton: (userId) => menuButtonOf(userId, methodDeps.menuButtons),
    fault: faults.set,
    onChange: changes.subscribe,
    waitFor: (look, { timeoutMs } = {}) =>
      waitForChange(() => look(playground), { changes, describe, timeoutMs }),
  }
  const webDeps: WebOptions['deps'] = {
    world,
    files: methodDeps.files,
    drafts,
    callbackQueries: methodDeps.callbackQueries,
    commandLists: methodDeps.commandLists,
    menuButtons: methodDeps.menuButtons,
    profile: methodDeps.profile,
    clock,
    closing: closing.signal,
    token,
    changes,
    callLog,
    lints,
    faults,
    control: playground,
    transcript,
    isDemo: options.isDemo ?? (() => false),
    onTrouble,
  }
  server.register(webPlugin, { deps: webDeps, key })
  return playground

  async function listen(): Promise<{ apiRoot: string; pageUrl: string }> {
    await server.listen({ host, port })
    if (kept?.webhook) webhook.set(kept.webhook)
    const apiRoot = rootOf(host, server.server.address())
    return { apiRoot, pageUrl: key === undefined ? apiRoot : `${apiRoot}/?key=${key}` }
  }

  async function close(): Promise<void> {
    closing.abort(new Error('The playground is closed'))
    await server.close()
    keeper?.close()
  }

  function transcript(chatId: number): PlaygroundMessage[] {
    return [...(world.chats.get(chatId)?.messages.values() ?? [])].map(toPlaygroundMessage)
  }

  function visibleAction(chatId: number): string | undefined {
    const action = world.chats.get(chatId)?.action
    return action && clock.now() < action.visibleUntil ? action.name : undefined
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
