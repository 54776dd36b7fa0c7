import { Context, Bot as GrammyBot } from 'grammy'
import { ActiveRole } from '../platform/database/instance/active-role.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import { systemClock } from '../platform/time/clock.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'
import { Alerts, type Trouble } from './admin/alerts.ts'
import { sendDigestIfDue } from './admin/digest.ts'
import { reportReached, watchMoney } from './admin/money-watch.ts'
import { toPageAddress } from './admin/page/links.ts'
import { createAdminPage } from './admin/page/server.ts'
import type { App, BotDeps } from './context.ts'
import { endWaiting } from './conversations/erase-user.ts'
import { moveChat } from './conversations/move-chat.ts'
import { Replies } from './conversations/replies.ts'
import { offerSummary } from './conversations/summaries.ts'
import { Turns } from './conversations/turns.ts'
import { createHandlers, reportSetAside } from './handlers.ts'
import { createHousekeeping, deleteOld } from './housekeeping.ts'
import { createAgainButtons } from './media/again.ts'
import { CallbackReceiver, type GivenCallback } from './media/callbacks.ts'
import { fetchResult } from './media/fetch-result.ts'
import { ORDER_TIMINGS, Orders } from './media/orders.ts'
import { createPictures } from './media/pictures.ts'
import { createMediaPrices } from './media/prices.ts'
import { createMenus } from './menus.ts'
import { createModels } from './models.ts'
import { createNotices, type Notice } from './notices.ts'
import { createAccess } from './people/access.ts'
import { AccessRequests, createPageDecisions } from './people/access-requests.ts'
import { type Doors, FirstAdmin, openDoors } from './people/first-admin.ts'
import { createRoles, showRole } from './people/roles.ts'
import { createQueues } from './queue.ts'
import { createSpend } from './spend/spend.ts'
import { StoredSettings } from './stored-settings.ts'
import { apiSignal, createTelegramApi, keepTrying, toClientOptions } from './telegram/api.ts'
import { createFileDownload } from './telegram/download-file.ts'
import { errorFacts } from './telegram/errors.ts'
import { createRichSupport } from './telegram/formatting.ts'
import { Inbox } from './telegram/inbox.ts'
import { followMoves } from './telegram/moves.ts'
import { Pacer } from './telegram/pacer.ts'
import { createOutbox } from './telegram/send.ts'
import { createNotifyPress } from './telegram/shortcuts.ts'
import { createTelegramClock } from './telegram/telegram-clock.ts'
import { setWebhook } from './telegram/webhook.ts'
import { createTexts } from './texts/texts.ts'

/** How long the role of the active process stays here so that handlers of updates can end. */
const HANDLERS_MS_MAX = 1_000
const OFFERS_MS_MAX = 1_000

/** Builds the parts of the bot; nothing runs before `start()`. */
export function createBot(deps: BotDeps) {
  const { token, apiRoot, proxies, prisma, instance, sweep } = deps
  const { webhook, clock = systemClock, settings, log } = deps
  const { pool } = deps.database
  const active = new ActiveRole({ pool, instance, log: foldRepeats(log) })
  const failed = Promise.withResolvers<never>()
  // Avoids an unhandled rejection in a process that does not await it.
  failed.promise.catch(() => {})
  const texts = createTexts()
  const telegramClock = createTelegramClock()
  const pacer = new Pacer({ clock, limits: deps.limits, share: () => active.share(), log })
  const { onTelegramAnswer: onAnswer } = deps
  const api = createTelegramApi({ ...deps, telegramClock, onAnswer, whenAllowed: instance.leased })
  const move = (given: { from: number; to: number }) => moveChat(prisma, given)
  const outbox = followMoves(createOutbox({ api, pacer, clock }), move)
  const telegram = new GrammyBot(token, { client: toClientOptions({ apiRoot, proxies }) })
  const inbox = new Inbox({
    ...deps,
    api,
    pool,
    delivery: webhook === undefined ? 'poll' : 'webhook',
    handle: (update) => telegram.handleUpdate(update),
    onSetAside: (update) =>
      reportSetAside(new Context(update, telegram.api, telegram.botInfo), { outbox, texts }),
    telegramNow: telegramClock.now,
  })
  const access = createAccess(settings)
  const base = {
    ...deps,
    clock,
    pool,
    leaseOwner: instance.id,
    timeZone: settings.timeZone,
    texts,
    outbox,
    richSupport: createRichSupport(clock),
    notifyPress: createNotifyPress({ outbox, texts }),
    downloads: createFileDownload({ ...deps, api }),
    access,
    roles: createRoles({ prisma, settings, access }),
    storedSettings: new StoredSettings(prisma),
    page: toPageAddress(deps),
    telegramNow: telegramClock.now,
    isServiceInside: deps.isServiceInside ?? false,
    signal: inbox.aborted,
  }
  const spend = createSpend({
    ...base,
    onEverybodyReached: (period) =>
      void reportReached(watch, period).catch((error: unknown) =>
        log.info(errorFacts(error), 'limit for everybody maybe not reported'),
      ),
  })
  const models = createModels({ ...base, defaultModel: settings.defaultModel })
  const prices = createMediaPrices({
    ...base,
    configuredMicroRub: settings.mediaPricesMicroRub,
    onKinds: () => void menus.publish(),
  })
  const menus = createMenus({ ...base, api: api.calls, prices })
  const queues = createQueues(deps.serviceLimits, clock)
  const alerts = new Alerts(base)
  const app: App = {
    ...base,
    models,
    prices,
    againButtons: createAgainButtons({ prices, texts }),
    pictures: createPictures({
      findRoot: deps.pictureRoot,
      stored: deps.storedPictures,
      download: base.downloads.download,
      signal: inbox.aborted,
    }),
    spend,
    openQueue: queues.open,
    alerts,
  }
  const watch = { ...app, ...spend, readOutlook: () => spend.balance.outlook() }
  const orders = new Orders({
    ...app,
    rules: app.storedSettings,
    callbackRoot: deps.callbackRoot,
    guard: { allow: deps.resultAllow, proxies: deps.serviceProxies },
    fetchResult,
    timings: ORDER_TIMINGS,
  })
  const callbacks = new CallbackReceiver(app)
  const turns = new Turns(app)
  const replies = new Replies(app, turns, (turn, size) => offerSummary(app, turn, size))
  const notices = createNotices({ ...app, show: showNotice })
  const housekeeping = createHousekeeping({
    showNotices: notices.showDue,
    watchMoney: () => watchMoney(watch),
    sendDigest: (signal) => sendDigestIfDue({ ...watch, pictures: spend.spendPictures }, signal),
    deleteOld: (signal) => deleteOld(app, signal),
    clock: systemClock,
    log: foldRepeats(log),
  })
  const people = {
    ...app,
    showMenus: menus.show,
    onBlocked: (userId: number) => endWaiting(userId, { prisma, replies, orders }),
  }
  const requests = new AccessRequests(people)
  const firstAdmin = new FirstAdmin(people)
  const adminPage = createAdminPage({
    ...app,
    ...spend,
    decisions: createPageDecisions({ ...people, requests, showLater: notices.add }),
    botToken: token,
    address: app.page,
  })
  const { factsOf } = inbox
  const answering = { orders, turns, replies, requests, firstAdmin, adminPage, menus, factsOf }
  telegram.use(createHandlers({ ...people, ...spend, ...answering, moveChat: move }))
  return {
    start,
    adminPage,
    receive: inbox.receive,
    receiveCallback: (callback: GivenCallback) => callbacks.receive(callback),
    stop,
    refreshOffers: () => {
      models.refresh()
      prices.refresh()
    },
    alertAdmins,
    askTelegram: (signal: AbortSignal) => api.calls.getMe(apiSignal(signal)),
    isActive: () => active.isActive(),
    /** Rejects with a `SettingRefusedError` when Telegram refuses the token. Never resolves. */
    whenFailed: failed.promise,
  }

  /** Starts as the active process, or as a standby if another process is active. */
  async function start(): Promise<StartedBot> {
    const retryOptions = { clock, log, signal: active.over }
    await keepTrying('store the budget', () => spend.limits.storeBudget(), retryOptions)
    const open = () => openDoors(people, firstAdmin)
    const doors = await keepTrying('open the doors', open, retryOptions)
    if (!(await keepTrying('ask which process is active', () => active.take(), retryOptions))) {
      log.info('another process is active: this one stands by')
      void takeOver()
      return { ...doors, username: undefined }
    }
    await activate(active.over)
    await menus.settled()
    return { ...doors, username: telegram.botInfo.username }
  }

  async function takeOver(): Promise<void> {
    try {
      await active.untilTaken()
      log.info('no other process is active: this one takes over')
      await activate(active.over)
    } catch (error) {
      if (!active.over.aborted) failed.reject(error)
    }
  }

  async function activate(signal: AbortSignal): Promise<void> {
    const retryOptions = { clock, log, signal }
    inbox.whenFailed.catch(failed.reject)
    await keepTrying('ask Telegram who the bot is', () => telegram.init(), retryOptions)
    if (webhook === undefined) {
      // Telegram refuses polls as long as a webhook is set.
      await keepTrying('end the webhook', () => api.calls.deleteWebhook(), retryOptions)
    } else await keepTrying('set the webhook', () => setWebhook(api.calls, webhook), retryOptions)
    models.start()
    prices.start()
    // The menus list what is sold. If the service takes longer, they follow when its answer comes.
    await Promise.race([prices.whenAsked, clock.sleep(OFFERS_MS_MAX, signal)])
    await sweep.add(deps.storedPictures.purge)
    await keepTrying('count requests', () => queues.fill(prisma), retryOptions)
    await adminPage.start()
    // The process may stop meanwhile, and nothing must start after its end.
    signal.throwIfAborted()
    await orders.open()
    housekeeping.start(signal)
    await sweep.add(() => replies.resumeAll())
    inbox.start()
  }

  async function showNotice(notice: Notice): Promise<void> {
    if (notice.kind === 'alert') alerts.report(notice.trouble)
    else if (notice.kind === 'role') await showRole(people, notice.userId)
    else await requests.show(notice.userId)
  }

  function alertAdmins(trouble: Trouble): void {
    if (active.isActive()) return void alerts.report(trouble)
    notices.add({ kind: 'alert', trouble }).catch((error: unknown) => {
      // The next trouble of its kind is reported.
      log.warn(errorFacts(error), 'admins not notified')
    })
  }

  /** Hands over the role of the active process at once, and waits for running work. */
  async function stop(timeoutMs: number): Promise<void> {
    models.stop()
    prices.stop()
    const updates = inbox.stop(timeoutMs)
    const ends = [updates, replies.end(timeoutMs), orders.stop(timeoutMs)]
    // The next active process repeats handlers that have not ended.
    await settleWithin([updates], HANDLERS_MS_MAX)
    await Promise.all([active.handOver(), ...ends])
    await housekeeping.whenStopped()
    await app.downloads.close()
  }
}

export type Bot = ReturnType<typeof createBot>

export interface StartedBot extends Doors {
  /** Undefined for a standby, which has not asked Telegram. */
  username: string | undefined
}
