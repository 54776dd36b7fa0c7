import { Bot as GrammyBot } from 'grammy'
import { readTime } from '../platform/database/prisma.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import { systemClock } from '../platform/time/clock.ts'
import { createDashboard } from './admin/dashboard/dashboard.ts'
import { toPageAddress } from './admin/dashboard/page-address.ts'
import { createDigest } from './admin/digest/digest.ts'
import { createAlerts } from './alerts/alerts.ts'
import type { BotDeps } from './bot-deps.ts'
import { asksExample } from './commands/conversations/greeting.ts'
import { moveChat } from './conversations/move-chat.ts'
import { createHandlers } from './handlers.ts'
import { createTexts } from './locales/texts.ts'
import { createAgainButtons } from './media/order/again-buttons.ts'
import { createMediaPrices } from './media/order/prices.ts'
import { createMediaRules } from './media/order/rules.ts'
import { createOrders } from './media/orders.ts'
import { createPictures } from './media/picture/pictures.ts'
import { createAccountSecret } from './media/task/account-secret.ts'
import { createCallbackReceiver, recordCallback } from './media/task/receive-callback.ts'
import { createMenus } from './menus.ts'
import { createModels } from './models/models.ts'
import { createAccess } from './people/access/access.ts'
import { createAdmittance, type Doors, openDoors } from './people/access/admittance.ts'
import { createRoles } from './people/access/roles.ts'
import { createChats } from './people/chats.ts'
import { createRequestCopies } from './people/request-copies.ts'
import { createOpenQueue } from './queue/open-queue.ts'
import { createBotRetention } from './retention.ts'
import { createRoutines } from './routines.ts'
import { createSpend } from './spend/spend.ts'
import { createEndWaiting } from './talk/erase/end-waiting.ts'
import { createReplies } from './talk/reply/replies.ts'
import { beginsTurn } from './talk/reply/turn-buttons.ts'
import { beginsSummary, offerSummary } from './talk/summaries.ts'
import { writeOffErased } from './talk/turns/record-request.ts'
import { createShownTexts } from './talk/turns/shown-texts.ts'
import { createTurns } from './talk/turns/turns.ts'
import { apiSignal, createTelegramApi, toClientOptions } from './telegram/api.ts'
import { createFileDownload } from './telegram/download-file.ts'
import { createInbox } from './telegram/inbox/inbox.ts'
import { createLateChanges } from './telegram/inbox/late-changes.ts'
import { createUpdateHandler } from './telegram/inbox/update-handler.ts'
import { setWebhook } from './telegram/inbox/webhook.ts'
import { keepTrying } from './telegram/keep-trying.ts'
import { followMoves } from './telegram/moves.ts'
import { createRichSupport } from './telegram/outbox/formatting.ts'
import { createNotifyPress } from './telegram/outbox/notify-press.ts'
import { createOutbox } from './telegram/outbox/outbox.ts'
import { createStoredFloodWaits } from './telegram/pacing/stored-flood-waits.ts'
import { createStoredPaces } from './telegram/pacing/stored-paces.ts'
import { createTelegramClock } from './telegram/telegram-clock.ts'

/** How long a start waits until it is known what the service sells. */
const OFFERS_MS_MAX = 1_000

/**
 * Builds each part of the bot once and gives it by name what it needs; `handlers.ts` does the same for what answers
 * updates. Nothing runs before `start()`.
 *
 * Longer than 300 lines because it is one list: who gives a part what it has is one search in one file.
 */
export function createBot(deps: BotDeps) {
  const { token, apiRoot, proxies, database, prisma, instance, notifications, dueRows, service } =
    deps
  const { webhook, clock = systemClock, settings, log } = deps
  const access = createAccess(settings)
  const roles = createRoles({ prisma, settings, access })
  const telegramClock = createTelegramClock()
  const api = createTelegramApi({
    telegramClock,
    token,
    apiRoot,
    proxies,
    onAnswer: deps.onTelegramAnswer,
    whenAllowed: instance.leased,
  })
  const move = (given: { from: number; to: number }) => moveChat(prisma, given)
  const shared = {
    prisma,
    pool: database.pool,
    notifications,
    instanceId: instance.id,
    clock,
    log,
  }
  const floodWaits = createStoredFloodWaits(shared)
  const paces = createStoredPaces(shared)
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
    onEverybodyReached: (period) => void alerts.everybodyWatch.reached(period),
    log,
  })
  const models = createModels({
    service,
    defaultModel: settings.defaultModel,
    clock,
    log,
  })
  const mediaRules = createMediaRules(prisma)
  const prices = createMediaPrices({
    service,
    configuredMicroRub: settings.mediaPricesMicroRub,
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
    telegramNow: telegramClock.now,
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
  const openQueue = createOpenQueue({ ...shared, limits: deps.serviceLimits })
  const alerts = createAlerts({
    prisma,
    limits: spend.limits,
    limitTexts: spend.limitTexts,
    calendar: spend.calendar,
    readOutlook: spend.balance.outlook,
    outbox,
    roles,
    texts,
    isServiceInside: deps.isServiceInside ?? false,
    clock,
    log,
    signal: inbox.aborted,
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
    alerts: alerts.ofService,
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
    telegramNow: telegramClock.now,
  })
  const summaries = { prisma, models, outbox, texts, settings, log, signal: inbox.aborted }
  const chats = createChats(prisma)
  const replies = createReplies({
    limits: spend.limits,
    limitTexts: spend.limitTexts,
    nearLimits: spend.nearLimits,
    costNotes: spend.rememberedCostNotes,
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
    alerts: alerts.ofService,
    readLateChanges: createLateChanges({ pool: database.pool, texts, me: () => telegram.botInfo }),
    afterAnswer: (turn, size) => offerSummary(summaries, turn, size),
    settings,
    clock,
    log,
    stopping: inbox.stopping,
    signal: inbox.aborted,
  })
  const digest = createDigest({
    prisma,
    settings: alerts.settings,
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
    moneyWatch: alerts.moneyWatch,
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
    alertSettings: alerts.settings,
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
      downloads,
      alertSettings: alerts.settings,
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
    dashboard,
    receive: inbox.receive,
    receiveCallback: createCallbackReceiver({
      secret: createAccountSecret({ service, clock, log }),
      record: (end) => recordCallback(database.pool, end),
      now: () => readTime(prisma),
    }),
    stop,
    refreshOffers: () => {
      models.refresh()
      prices.refresh()
    },
    alertAdmins: alerts.ofService.report,
    askTelegram: (signal: AbortSignal) => api.calls.getMe(apiSignal(signal)),
    /** Rejects with a `SettingRefusedError` when Telegram refuses the token. Never resolves. */
    whenFailed: inbox.whenFailed,
  }

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

  async function stop(timeoutMs: number): Promise<void> {
    models.stop()
    prices.stop()
    dashboard.stop()
    await Promise.all([inbox.stop(timeoutMs), orders.stop(timeoutMs), routines.stop()])
    await downloads.close()
  }
}

export type Bot = ReturnType<typeof createBot>
