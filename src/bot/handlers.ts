/**
 * Registers the handlers of updates: each update passes the checks of sender, address and access before a part answers.
 * In groups the bot ignores all other messages.
 */
import { Composer, type Context } from 'grammy'
import type { Message, Update } from 'grammy/types'
import { readTime } from '../platform/database/prisma.ts'
import type { RunningPage } from './admin/page/server.ts'
import { dispatchCommands } from './commands/dispatch.ts'
import { COMMANDS } from './commands/list.ts'
import type { App } from './context.ts'
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
import { listenToCards } from './media/card-input.ts'
import { showRaised } from './media/draft-card.ts'
import type { Orders } from './media/orders.ts'
import type { Menus } from './menus.ts'
import type { AccessRequests } from './people/access-requests.ts'
import { isNewAlbum } from './people/chats.ts'
import type { FirstAdmin } from './people/first-admin.ts'
import { createGate } from './people/gate.ts'
import type { People } from './people/people.ts'
import { createLimitButtons } from './spend/limit-requests.ts'
import type { SpendParts } from './spend/spend.ts'
import {
  answeredIn,
  type ChatThread,
  hasSender,
  readAddress,
  type Sender,
  threadOf,
} from './telegram/addressing.ts'
import type { UpdateFacts } from './telegram/handle-update.ts'
import { sendBestEffort } from './telegram/shortcuts.ts'

/** The app with the parts that answer updates, those of `spend` by their own names. */
interface HandlersApp extends App, SpendParts, Pick<People, 'showMenus' | 'onBlocked'> {
  orders: Orders
  turns: Turns
  replies: Replies
  requests: AccessRequests
  firstAdmin: FirstAdmin
  adminPage: RunningPage
  menus: Menus
  moveChat: (move: { from: number; to: number }) => Promise<void>
  factsOf: (update: Update) => UpdateFacts
}

/** Service messages of a private chat, which need no reply. Users write all other kinds. */
const NOTICES = [
  ...['pinned_message', 'message_auto_delete_timer_changed', 'chat_background_set'],
  ...['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'],
  ...['write_access_allowed', 'connected_website', 'web_app_data', 'passport_data'],
  ...['users_shared', 'chat_shared', 'managed_bot_created', 'proximity_alert_triggered'],
  ...['successful_payment', 'refunded_payment', 'paid_message_price_changed', 'boost_added'],
  ...['gift', 'unique_gift', 'gift_upgrade_sent', 'giveaway_created', 'giveaway_completed'],
  ...['checklist_tasks_done', 'checklist_tasks_added', 'poll_option_added', 'poll_option_deleted'],
] as const

export function createHandlers(app: HandlersApp): Composer<Context> {
  const { prisma, prices, orders, outbox, texts } = app
  const prompts = {
    ...app,
    files: new FileReader(app.downloads),
    isFileInHistory: (thread: ChatThread, id: string) => isFileInHistory(prisma, thread, id),
  }
  const { answerMessage, recordEdit, answerTurn } = createAnswerMessage({
    ...app,
    readPrompt: (message, facts) => readPrompt(prompts, message, facts),
    isNewAlbum: (chatId, albumId) => isNewAlbum(prisma, chatId, albumId),
    sells: (kind) => prices.kinds()?.includes(kind) ?? false,
  })
  const listener = new Composer<Context>()
  // Telegram reports a move in both chats; the first report counts.
  listener.on('message:migrate_to_chat_id', ({ chat, message }) =>
    app.moveChat({ from: chat.id, to: message.migrate_to_chat_id }),
  )
  listener.on('message:migrate_from_chat_id', ({ chat, message }) =>
    app.moveChat({ from: message.migrate_from_chat_id, to: chat.id }),
  )
  listener.on('my_chat_member', async ({ chat, myChatMember }) => {
    const { status } = myChatMember.new_chat_member
    if (status !== 'left' && status !== 'kicked') await orders.giveKept(chat.id)
  })
  const heard = listener.filter(isMeantForBot).filter(hasSender)
  heard.use(createGate({ ...app, followLanguage: app.menus.follow }))
  heard.use(
    dispatchCommands(COMMANDS, {
      ...app,
      answerTurn,
      commands: COMMANDS,
      systemPrompt: app.settings.systemPrompt,
      signInLinks: app.adminPage.signInLinks,
      eraseUser: createEraseUser(app),
      now: () => readTime(prisma),
    }),
  )
  heard.use(listenToCards(app))
  heard.use(listenToTopics(app))
  heard.use(createTurnButtons({ ...app, answerTurn }))
  heard.use(listenToSummaries({ ...app, answerTurn }))
  heard.use(
    createLimitButtons({
      ...app,
      retryKeyboard: (id, languageCode) => turnButton('retry', { id, languageCode }, texts),
      showRaised: (message) => showRaised(app, message),
    }),
  )
  heard.use(app.receiptButtons)
  heard.on(['message:text', 'message:file'], async (ctx) => {
    await answerMessage(ctx)
    await nameTopic(app, threadOf(ctx.message))
  })
  heard.on(
    ['edited_message:text', 'edited_message:file'],
    ({ update, sender, me, editedMessage: message }) => recordEdit({ update, sender, me, message }),
  )
  heard.on('callback_query', ({ callbackQuery, sender }) =>
    outbox.answerButton(callbackQuery.id, texts.t(sender.languageCode, 'button-stale')),
  )
  heard.chatType('private').on('message', async ({ message, sender }) => {
    if (!NOTICES.some((kind) => kind in message)) await answerUnread(app, message, sender)
  })
  return listener
}

async function answerUnread(
  { outbox, texts, log }: App,
  message: Message,
  { languageCode }: Sender,
): Promise<void> {
  const thread = threadOf(message)
  const send = () => outbox.send({ ...thread, text: texts.t(languageCode, 'message-unread') })
  await sendBestEffort(send, { chatId: thread.chatId, ifLost: 'sentence maybe not shown', log })
}

function isMeantForBot(ctx: Context): boolean {
  const { msg, chat } = ctx
  if (ctx.callbackQuery !== undefined || chat?.type === 'private') return true
  return msg !== undefined && chat?.type !== 'channel' && readAddress(msg, ctx.me) !== undefined
}

/** Reports to the user of an update that it was given up; in a group only if it was meant for the bot. */
export async function reportSetAside(
  ctx: Context,
  { outbox, texts }: Pick<App, 'outbox' | 'texts'>,
): Promise<void> {
  if (!isMeantForBot(ctx) || !hasSender(ctx)) return
  const text = texts.t(ctx.sender.languageCode, 'reply-failed')
  const { callbackQuery, message } = ctx
  if (callbackQuery !== undefined) return outbox.answerButton(callbackQuery.id, text)
  if (message === undefined) return
  await outbox.send({ ...threadOf(message), ...answeredIn(message), text })
}
