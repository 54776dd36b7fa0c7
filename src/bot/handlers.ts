import type { Composer, Context } from 'grammy'
import type { Update } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import { readTime } from '../platform/database/prisma.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { RunningPage } from './admin/page/server.ts'
import { createStats } from './admin/stats.ts'
import { dispatchCommands } from './commands/dispatch.ts'
import { COMMANDS } from './commands/list.ts'
import { createAnswerMessage } from './conversations/answer-message.ts'
import { createTurnButtons } from './conversations/buttons.ts'
import { listenToTopics, nameTopic } from './conversations/conversation-list.ts'
import { createEraseUser } from './conversations/erase-user.ts'
import { FileReader } from './conversations/files/read-file.ts'
import { readPrompt } from './conversations/files/read-prompt.ts'
import { isFileInHistory } from './conversations/history.ts'
import { turnButton } from './conversations/keyboards.ts'
import type { Replies } from './conversations/replies.ts'
import { listenToSummaries } from './conversations/summaries.ts'
import type { Turns } from './conversations/turns.ts'
import { createListener } from './listen.ts'
import type { AgainButtons } from './media/again.ts'
import { listenToCards } from './media/card-input.ts'
import { showRaised } from './media/draft-card.ts'
import type { Orders } from './media/orders.ts'
import type { Pictures } from './media/pictures.ts'
import type { MediaPrices } from './media/prices.ts'
import type { Menus } from './menus.ts'
import type { Models } from './models.ts'
import type { AccessSettings } from './people/access.ts'
import type { AccessRequests } from './people/access-requests.ts'
import { isNewAlbum } from './people/chats.ts'
import type { FirstAdmin } from './people/first-admin.ts'
import { createGate } from './people/gate.ts'
import type { People } from './people/people.ts'
import { createLimitButtons } from './spend/limit-requests.ts'
import type { SpendParts } from './spend/spend.ts'
import type { StoredSettings } from './stored-settings.ts'
import type { ChatThread } from './telegram/addressing.ts'
import type { FileDownload } from './telegram/download-file.ts'
import type { RichSupport } from './telegram/formatting.ts'
import type { UpdateFacts } from './telegram/handle-update.ts'
import type { Outbox } from './telegram/send.ts'
import type { NotifyPress } from './telegram/shortcuts.ts'
import type { Texts } from './texts/texts.ts'

export interface HandlersDeps {
  prisma: PrismaClient
  spend: SpendParts
  people: People
  requests: AccessRequests
  firstAdmin: FirstAdmin
  adminPage: Pick<RunningPage, 'signInLinks'>
  menus: Menus
  orders: Orders
  prices: MediaPrices
  againButtons: AgainButtons
  pictures: Pictures
  models: Models
  turns: Turns
  replies: Replies
  downloads: FileDownload
  storedSettings: StoredSettings
  outbox: Outbox
  notifyPress: NotifyPress
  richSupport: RichSupport
  texts: Texts
  settings: AccessSettings & {
    systemPrompt?: string | undefined
    maxTokens: number
    timeZone: string
  }
  clock: Clock
  log: Logger
  moveChat: (move: { from: number; to: number }) => Promise<void>
  /** Finds what the inbox knows of an update that is being handled. */
  factsOf: (update: Update) => UpdateFacts
  signal: AbortSignal
}

/** Builds what answers updates: commands, buttons, cards, messages. Nothing runs before the first update. */
export function createHandlers(deps: HandlersDeps): Composer<Context> {
  const { prisma, spend, people, requests, adminPage, menus, orders, prices, pictures } = deps
  const { models, turns, replies, downloads, storedSettings } = deps
  const { outbox, notifyPress, richSupport, texts, settings, clock, log, factsOf, signal } = deps
  const { limits, limitTexts, calendar } = spend
  const prompts = {
    isFileInHistory: (thread: ChatThread, id: string) => isFileInHistory(prisma, thread, id),
    outbox,
    texts,
    files: new FileReader(downloads),
    signal,
  }
  const { answerMessage, recordEdit, answerTurn } = createAnswerMessage({
    replies,
    readPrompt: (message, facts) => readPrompt(prompts, message, facts),
    isNewAlbum: (chatId, albumId) => isNewAlbum(prisma, chatId, albumId),
    outbox,
    texts,
    sells: (kind) => prices.kinds()?.includes(kind) ?? false,
    log,
    factsOf,
  })
  const cards = { prisma, orders, pictures, prices, storedSettings, limitTexts, outbox, texts, log }
  const stopTurn: Replies['stop'] = (target, actor) => replies.stop(target, actor)
  const commands = dispatchCommands(COMMANDS, {
    now: () => readTime(prisma),
    access: people.access,
    people,
    requests,
    calendar,
    costNotes: spend.costNotes,
    balance: spend.balance,
    limits,
    limitTexts,
    reports: spend.reports,
    spendPictures: spend.spendPictures,
    signInLinks: adminPage.signInLinks,
    menus,
    stats: createStats({ prisma, calendar }),
    prisma,
    outbox,
    richSupport,
    orders,
    pictures,
    againButtons: deps.againButtons,
    prices,
    storedSettings,
    models,
    settings,
    commands: COMMANDS,
    systemPrompt: settings.systemPrompt,
    timeZone: settings.timeZone,
    texts,
    log,
    eraseUser: createEraseUser({ prisma, stopTurn, calendar, clock }),
    stopTurn,
    findRunning: (thread) => replies.findRunning(thread),
    retryTurn: (request) => replies.retry(request),
    replyOnce: (...asked) => replies.replyOnce(...asked),
    answerTurn,
  })
  const limitButtons = createLimitButtons({
    ...people,
    limits,
    limitTexts,
    retryKeyboard: (id, languageCode) => turnButton('retry', { id, languageCode }, texts),
    showRaised: (message) => showRaised(cards, message),
  })
  const turnButtons = createTurnButtons({ replies, answerTurn, outbox, notify: notifyPress })
  const summaryButtons = listenToSummaries({
    prisma,
    models,
    turns,
    replies,
    answerTurn,
    outbox,
    notify: notifyPress,
    texts,
    settings,
  })
  return createListener({
    gate: createGate({
      ...people,
      requests,
      firstAdmin: deps.firstAdmin,
      followLanguage: menus.follow,
    }),
    moveChat: deps.moveChat,
    outbox,
    texts,
    log,
    commands,
    turnButtons,
    summaryButtons,
    limitButtons,
    answerMessage,
    recordEdit,
    onReturn: (chatId) => orders.giveKept(chatId),
    cards: listenToCards({ ...cards, factsOf }),
    topics: listenToTopics({ prisma, outbox }),
    nameTopic: (thread) => nameTopic({ prisma, outbox }, thread),
    receiptButtons: spend.receiptButtons,
  })
}
