import { Bot as GrammyBot } from 'grammy'
import type { Logger } from 'pino'
import type { ServiceClient } from '../contract/client/service-client.ts'
import type { Database } from '../platform/database/database.ts'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { Instance } from '../platform/database/instance/instance.ts'
import type { Notifications } from '../platform/database/instance/notifications.ts'
import type { Sweep } from '../platform/database/instance/sweep.ts'
import { readTime } from '../platform/database/read-time.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import type { AllowedPair } from '../platform/http/outside-url.ts'
import type { Proxies } from '../platform/http/proxy/proxies.ts'
import type { DueRows } from '../platform/jobs/due-rows.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { createDashboard } from './admin/dashboard/dashboard.ts'
import { toPageAddress } from './admin/dashboard/page-address.ts'
import { createDigest } from './admin/digest/digest.ts'
import { createAdminAlerts } from './alerts/alert-admins.ts'
import { createAlertSettings } from './alerts/alert-settings.ts'
import { createEverybodyWatch } from './alerts/everybody-limit.ts'
import { createNotifyAdmins } from './alerts/notify-admins.ts'
import { createMoneyWatch } from './alerts/watch-money.ts'
import { createHandlers } from './handlers.ts'
import { createTexts } from './locales/texts.ts'
import { createAgainButtons } from './media/order/again-buttons.ts'
import { createLearntPrices, createMediaPrices } from './media/order/prices.ts'
import { createMediaRules } from './media/order/rules.ts'
import { createOrders } from './media/orders.ts'
import { createPictures } from './media/picture/pictures.ts'
import type { StoredPictures } from './media/picture/stored-pictures.ts'
import { createAccountSecret } from './media/task/account-secret.ts'
import { createCallbackReceiver, recordCallback } from './media/task/receive-callback.ts'
import { createMenus } from './menus.ts'
import { createModels, type ModelList } from './models/models.ts'
import { type AccessSettings, createAccess } from './people/access/access.ts'
import { createAdmittance, type Doors, openDoors } from './people/access/admittance.ts'
import { createRoles } from './people/access/roles.ts'
import { createChats } from './people/chats.ts'
import { createRequestCopies } from './people/request-copies.ts'
import type { RequestKind, ServiceLimits } from './queue/rate-limit.ts'
import { createServiceQueue, type ServiceQueue } from './queue/service-queue.ts'
import { createStoredQueue } from './queue/stored-queue.ts'
import { type BotRetention, createBotRetention } from './retention.ts'
import { createRoutines } from './routines.ts'
import { createSpend } from './spend/spend.ts'
import { createEndWaiting } from './talk/erase/end-waiting.ts'
import { asksExample } from './talk/examples/example-questions.ts'
import { followMoves } from './talk/moves/follow-moves.ts'
import { moveChat } from './talk/moves/move-chat.ts'
import { createAnswerRowSetting } from './talk/reply/answer-row-setting.ts'
import { createReplies } from './talk/reply/replies.ts'
import { beginsTurn } from './talk/reply/turn-buttons.ts'
import { beginsSummary } from './talk/summary/summary-buttons.ts'
import { createSummaryOffers } from './talk/summary/summary-offers.ts'
import { writeOffErased } from './talk/turns/record-request.ts'
import { createShownTexts } from './talk/turns/shown-texts.ts'
import { createTurns } from './talk/turns/turns.ts'
import { apiSignal, createTelegramApi, type TelegramWay, toClientOptions } from './telegram/api.ts'
import { createFileDownload } from './telegram/download-file.ts'
import { createInbox } from './telegram/inbox/inbox.ts'
import { createLateChanges } from './telegram/inbox/late-changes.ts'
import { createUpdateHandler } from './telegram/inbox/update-handler.ts'
import { setWebhook } from './telegram/inbox/webhook.ts'
import { keepTrying } from './telegram/keep-trying.ts'
import { createRichSupport } from './telegram/outbox/formatting.ts'
import { createNotifyPress } from './telegram/outbox/notify-press.ts'
import { createOutbox } from './telegram/outbox/outbox.ts'
import type { SendLimits } from './telegram/pacing/send-limits.ts'
import { createStoredFloodWaits } from './telegram/pacing/stored-flood-waits.ts'
import { createStoredPaces } from './telegram/pacing/stored-paces.ts'

/** How long a start waits until it is known what the service sells. */
const OFFERS_MS_MAX = 1_000

export interface BotSettings extends AccessSettings {
  /** The first listed model where it is missing. */
  defaultModel?: string | undefined
  systemPrompt?: string | undefined
  maxTokens: number
  timeZone: string
  /** Prices of clips, pictures and sounds, by label, for a service that names none. */
  mediaPricesMicroRub?: ReadonlyMap<string, bigint> | undefined
  /** True if the service is of the same process: what it costs is the operator's own money, and no account bounds it. */
  spendsOwnMoney?: boolean | undefined
  /** What everybody together may spend a month, where no admin has set another limit. */
  budgetMicroRub?: bigint | undefined
  /** What is not kept for ever. */
  retention?: BotRetention | undefined
}

export interface BotDeps extends TelegramWay {
  token: string
  /** The address to which Telegram sends updates; without it they are fetched. */
  webhook?: { publicUrl: string; secret: string } | undefined
  database: Pick<Database, 'pool'>
  /** Prisma Client on the same pool. */
  prisma: PrismaClient
  instance: Instance
  /** Notifications on the session of the instance. */
  notifications: Notifications
  sweep: Pick<Sweep, 'add'>
  dueRows: DueRows
  service: ServiceClient
  /** The models that are known from the epoch before. */
  modelList?: ModelList | undefined
  /** True if the service runs in this process, and has `alertAdmins()` called for its own troubles. */
  isServiceInside?: boolean
  /** Those that `/pictures` serves. */
  storedPictures: Pick<StoredPictures, 'keep' | 'refill' | 'findFile' | 'purge'>
  settings: BotSettings
  log: Logger
  clock?: Clock
  /**
   * The roots where the service finds this process: without a slash at the end, undefined where it cannot
   * just now.
   */
  pictureRoot: () => string | undefined
  callbackRoot: string | undefined
  /** The root by which others reach this process, if they do, and the one by which this machine does. */
  publicUrl?: string | undefined
  localRoot: string
  /** True if a playground of this machine stands in for Telegram. */
  isPlayground?: boolean
  /** Hosts that finished clips may be fetched from although they are private. */
  clipAllow: ReadonlySet<AllowedPair>
  /** Lead to where the service has finished clips. */
  serviceProxies?: Proxies | undefined
  /** The pace towards Telegram; its own limits by default. */
  limits?: SendLimits | undefined
  serviceLimits: ServiceLimits
  /** Called whenever Telegram answered. */
  onTelegramAnswer?: () => void
}

/**
 * Builds each part of the bot once and gives it by name what it needs; `handlers.ts` does the same for what answers
 * updates. Nothing runs before `start()`.
 *
 * Longer than 300 lines because it is one list: who gives a part what it has is one search in one file.
 */
export function createBot(deps: BotDeps) {
  const { token, apiRoot, proxies, database, prisma, instance, notifications, dueRows, service } =
    deps
  const { webhook, clock = systemClock, serviceLimits, settings, log } = deps
  const access = createAccess(settings)
  const roles = createRoles({ prisma, settings, access })
  const api = createTelegramApi({
    token,
    apiRoot,
    proxies,
    onAnswer: deps.onTelegramAnswer,
    whenAllowed: instance.leased,
  })
  const move = (given: { from: number; to: number }) => moveChat(prisma, given)
  const floodWaits = createStoredFloodWaits({
    pool: database.pool,
    notifications,
    instanceId: instance.id,
    log,
  })
  const paces = createStoredPaces({
    pool: database.pool,
    notifications,
    instanceId: instance.id,
    clock: clock ?? systemClock,
    log,
  })
  const outbox = followMoves(
    createOutbox({
      api,
      clock,
      instances: () => instance.count('bot'),
      limits: deps.limits,
      floodWaits,
      paces,
      log,
    }),
    move,
  )
  const richSupport = createRichSupport(clock)
  const texts = createTexts()
  const page = toPageAddress(deps)
  const notifyPress = createNotifyPress({ outbox, texts })
  const spend = createSpend({
    prisma,
    notifications,
    service,
    outbox,
    notifyPress,
    texts,
    settings,
    onEverybodyReached: (period) => void everybodyWatch.reached(period),
    log,
  })
  const models = createModels({
    service,
    list: deps.modelList,
    defaultModel: settings.defaultModel,
    clock,
    log,
  })
  const mediaRules = createMediaRules(prisma)
  const learntPrices = createLearntPrices(prisma)
  const prices = createMediaPrices({
    service,
    configuredMicroRub: settings.mediaPricesMicroRub,
    learnt: learntPrices,
    onKinds: () => void menus.publish(),
    clock,
    log,
  })
  const menus = createMenus({ api: api.calls, prisma, texts, roles, prices, page, log })
  const againButtons = createAgainButtons({ prices, texts })
  const telegram = new GrammyBot(token, { client: toClientOptions({ apiRoot, proxies }) })
  const { handle, factsOf } = createUpdateHandler(telegram)
  const inbox = createInbox({
    api,
    pool: database.pool,
    notifications,
    sweep: deps.sweep,
    instance,
    delivery: webhook === undefined ? 'poll' : 'webhook',
    beginsTurn: (data) => beginsTurn(data) || beginsSummary(data) || asksExample(data),
    handle,
    log,
    clock,
  })
  const downloads = createFileDownload({ api, token, apiRoot, proxies, log })
  const pictures = createPictures({
    findRoot: deps.pictureRoot,
    stored: deps.storedPictures,
    download: downloads.download,
    signal: inbox.aborted,
  })
  const alertSettings = createAlertSettings(prisma)
  const notifyAdmins = createNotifyAdmins({ prisma, outbox, roles, log, signal: inbox.aborted })
  const everybodyWatch = createEverybodyWatch({
    prisma,
    limits: spend.limits,
    limitTexts: spend.limitTexts,
    notifyAdmins,
    log,
  })
  const alerts = createAdminAlerts({
    notifyAdmins,
    texts,
    settings: alertSettings,
    isServiceInside: deps.isServiceInside ?? false,
    clock,
    log,
  })
  const orders = createOrders({
    calendar: spend.calendar,
    reserveIn: spend.reserveIn,
    onCharged: spend.nearLimits.warn,
    prisma,
    instance,
    notifications,
    dueRows,
    openQueue,
    service,
    outbox,
    texts,
    againButtons,
    learntPrices,
    alerts,
    rules: mediaRules,
    callbackRoot: deps.callbackRoot,
    guard: { allow: deps.clipAllow, proxies: deps.serviceProxies },
    log,
  })
  const leaseOwner = instance.id
  const turns = createTurns({
    prisma,
    leaseOwner,
    calendar: spend.calendar,
    reserve: spend.reserve,
  })
  const summaryOffers = createSummaryOffers({
    prisma,
    models,
    outbox,
    texts,
    settings,
    log,
    signal: inbox.aborted,
  })
  const rowSetting = createAnswerRowSetting(prisma, notifications)
  const chats = createChats(prisma)
  const replies = createReplies({
    limits: spend.limits,
    limitTexts: spend.limitTexts,
    nearLimits: spend.nearLimits,
    costNotes: spend.rememberedCostNotes,
    rowSetting,
    chats,
    prisma,
    turns,
    shownTexts: createShownTexts({ prisma, leaseOwner, clock, log, signal: inbox.aborted }),
    service,
    outbox,
    richSupport,
    models,
    texts,
    notifications,
    queue: openQueue('chat', inbox.stopping),
    alerts,
    readLateChanges: createLateChanges({ pool: database.pool, texts, me: () => telegram.botInfo }),
    afterAnswer: summaryOffers.afterAnswer,
    settings,
    clock,
    log,
    stopping: inbox.stopping,
    signal: inbox.aborted,
  })
  const moneyWatch = createMoneyWatch({
    prisma,
    settings: alertSettings,
    calendar: spend.calendar,
    readOutlook: spend.balance.outlook,
    everybodyWatch,
    notifyAdmins,
    texts,
  })
  const digest = createDigest({
    prisma,
    settings: alertSettings,
    roles,
    reports: spend.reports,
    readOutlook: spend.balance.outlook,
    pictures: spend.spendPictures,
    outbox,
    texts,
    timeZone: settings.timeZone,
    log,
  })
  const routines = createRoutines({
    prisma,
    dueRows,
    calendar: spend.calendar,
    moneyWatch,
    digest,
    retention: createBotRetention({
      pool: database.pool,
      retention: settings.retention ?? {},
      log,
    }),
  })
  const copies = createRequestCopies({ prisma, roles, outbox, log })
  const admittance = createAdmittance({
    prisma,
    settings,
    access,
    copies,
    outbox,
    texts,
    clock,
    log,
    showMenus: menus.show,
    onBlocked: createEndWaiting({ prisma, stopTurn: replies.stop, cancelOrder: orders.cancel }),
  })
  const dashboard = createDashboard({
    pool: database.pool,
    prisma,
    settings,
    access,
    requests: admittance.requests,
    giveRole: admittance.giveRole,
    reports: spend.reports,
    limits: spend.limits,
    balance: spend.balance,
    calendar: spend.calendar,
    sweep: deps.sweep,
    botToken: token,
    page,
    roles,
    alertSettings,
    clock,
    log: foldRepeats(log),
  })
  telegram.use(
    createHandlers({
      prisma,
      settings,
      log,
      notifications,
      spend,
      admittance,
      dashboard,
      menus,
      copies,
      roles,
      orders,
      prices,
      againButtons,
      pictures,
      mediaRules,
      models,
      turns,
      replies,
      summaryOffers,
      rowSetting,
      downloads,
      alertSettings,
      chats,
      outbox,
      notifyPress,
      richSupport,
      texts,
      clock,
      moveChat: move,
      factsOf,
      signal: inbox.aborted,
    }),
  )
  return {
    start,
    /** The data that the page at `/admin` shows and changes. */
    dashboard,
    /** Stores an update that came by webhook; it is handled after that, here or by another process. */
    receive: inbox.receive,
    /** Takes the service's callback at the end of a task. */
    receiveCallback: createCallbackReceiver({
      secret: createAccountSecret({ service, clock, log }),
      record: (end) => recordCallback(database.pool, end),
      now: () => readTime(prisma),
    }),
    stop,
    /** Asks the service again for its models and prices: they have just changed. */
    refreshOffers: () => {
      models.refresh()
      prices.refresh()
    },
    /** Notifies admins of what they can mend. */
    alertAdmins: alerts.report,
    /** Asks Telegram for what costs it least. */
    askTelegram: (signal: AbortSignal) => api.calls.getMe(apiSignal(signal)),
    /** Rejects with a `SettingRefusedError` when Telegram refuses the token. Never resolves. */
    whenFailed: inbox.whenFailed,
  }

  function openQueue(kind: RequestKind, signal: AbortSignal): ServiceQueue {
    const limit = serviceLimits[kind]
    const stored = createStoredQueue({
      kind,
      limit,
      instanceId: instance.id,
      prisma,
      pool: database.pool,
    })
    return createServiceQueue({
      kind,
      stored,
      notifications,
      instanceId: instance.id,
      clock,
      log: foldRepeats(log),
      signal,
    })
  }

  /**
   * Takes up the updates of the last run, then receives new ones.
   *
   * @throws {SettingRefusedError} If Telegram refuses the token or the address of the webhook.
   */
  async function start(): Promise<Doors & { username: string }> {
    const retryOptions = { clock, log, signal: inbox.stopping }
    await keepTrying('ask Telegram who the bot is', () => telegram.init(), retryOptions)
    if (webhook === undefined) {
      // Polls are refused as long as an older setting sends the updates elsewhere.
      await keepTrying('end the webhook', () => api.calls.deleteWebhook(), retryOptions)
    } else await keepTrying('set the webhook', () => setWebhook(api.calls, webhook), retryOptions)
    models.start()
    prices.start()
    // Menus name what is sold. Where the service takes longer, they come when it is known.
    await Promise.race([prices.whenAsked, clock.sleep(OFFERS_MS_MAX)])
    await menus.settled()
    await keepTrying('read flood bans', floodWaits.read, retryOptions)
    await keepTrying('read paces of chats', paces.read, retryOptions)
    await keepTrying('store the budget', spend.limits.storeBudget, retryOptions)
    await deps.sweep.add(deps.storedPictures.purge)
    await deps.sweep.add(() => writeOffErased(prisma, spend.calendar))
    await dashboard.start()
    orders.start()
    routines.start()
    const open = () => openDoors({ access, firstAdmin: admittance.firstAdmin, log })
    const doors = await keepTrying('open the doors', open, retryOptions)
    inbox.start()
    return { ...doors, username: telegram.botInfo.username }
  }

  /** Takes no more updates; what runs may finish within the time-out, the rest stays stored. */
  async function stop(timeoutMs: number): Promise<void> {
    models.stop()
    prices.stop()
    dashboard.stop()
    await Promise.all([inbox.stop(timeoutMs), orders.stop(timeoutMs), routines.stop()])
    await downloads.close()
  }
}

export type Bot = ReturnType<typeof createBot>
