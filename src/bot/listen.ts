import { Composer, type Context } from 'grammy'
import type { Message } from 'grammy/types'
import type { Logger } from 'pino'
import {
  answeredIn,
  type BotContext,
  type ChatThread,
  hasSender,
  readAddress,
  type Sender,
  threadOf,
} from './telegram/addressing.ts'
import type { Outbox } from './telegram/send.ts'
import { sendBestEffort } from './telegram/shortcuts.ts'
import type { Texts } from './texts/texts.ts'

type MessageContext = Pick<BotContext, 'update' | 'sender' | 'me'> & { message: Message }

export interface ListenDeps {
  gate: Composer<BotContext>
  moveChat: (move: { from: number; to: number }) => Promise<void>
  onReturn: (chatId: number) => Promise<void>
  outbox: Pick<Outbox, 'send' | 'answerButton'>
  texts: Texts
  log: Logger
  commands: Composer<BotContext>
  cards: Composer<BotContext>
  topics: Composer<BotContext>
  nameTopic: (thread: ChatThread) => Promise<void>
  turnButtons: Composer<BotContext>
  summaryButtons: Composer<BotContext>
  limitButtons: Composer<BotContext>
  receiptButtons: Composer<BotContext>
  answerMessage: (ctx: MessageContext) => Promise<void>
  recordEdit: (ctx: MessageContext) => Promise<void>
}

/** Messages that Telegram writes of what happened in a private chat: they ask nothing. Any other kind is its user's. */
const NOTICES = [
  ...['pinned_message', 'message_auto_delete_timer_changed', 'chat_background_set'],
  ...['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'],
  ...['write_access_allowed', 'connected_website', 'web_app_data', 'passport_data'],
  ...['users_shared', 'chat_shared', 'managed_bot_created', 'proximity_alert_triggered'],
  ...['successful_payment', 'refunded_payment', 'paid_message_price_changed', 'boost_added'],
  ...['gift', 'unique_gift', 'gift_upgrade_sent', 'giveaway_created', 'giveaway_completed'],
  ...['checklist_tasks_done', 'checklist_tasks_added', 'poll_option_added', 'poll_option_deleted'],
] as const

/**
 * Listens to updates: finds who sent one, whether it is meant for the bot, whether they may talk to
 * it, and which room answers. In groups everything else is met with silence.
 */
export function createListener(deps: ListenDeps): Composer<Context> {
  const { gate, outbox, texts, log } = deps
  const listener = new Composer<Context>()
  // A move comes from both chats; the one heard first counts.
  listener.on('message:migrate_to_chat_id', ({ chat, message }) =>
    deps.moveChat({ from: chat.id, to: message.migrate_to_chat_id }),
  )
  listener.on('message:migrate_from_chat_id', ({ chat, message }) =>
    deps.moveChat({ from: message.migrate_from_chat_id, to: chat.id }),
  )
  listener.on('my_chat_member', async ({ chat, myChatMember }) => {
    const { status } = myChatMember.new_chat_member
    if (status !== 'left' && status !== 'kicked') await deps.onReturn(chat.id)
  })
  const heard = listener.filter(isMeantForBot).filter(hasSender)
  heard.use(gate)
  heard.use(deps.commands)
  heard.use(deps.cards)
  heard.use(deps.topics)
  heard.use(deps.turnButtons)
  heard.use(deps.summaryButtons)
  heard.use(deps.limitButtons)
  heard.use(deps.receiptButtons)
  heard.on(['message:text', 'message:file'], async (ctx) => {
    await deps.answerMessage(ctx)
    await deps.nameTopic(threadOf(ctx.message))
  })
  heard.on(
    ['edited_message:text', 'edited_message:file'],
    ({ update, sender, me, editedMessage: message }) =>
      deps.recordEdit({ update, sender, me, message }),
  )
  heard.on('callback_query', ({ callbackQuery, sender }) =>
    outbox.answerButton(callbackQuery.id, texts.t(sender.languageCode, 'button-stale')),
  )
  heard.chatType('private').on('message', async ({ message, sender }) => {
    if (!NOTICES.some((kind) => kind in message)) await sayUnread(message, sender)
  })
  return listener

  async function sayUnread(message: Message, { languageCode }: Sender): Promise<void> {
    const thread = threadOf(message)
    const send = () => outbox.send({ ...thread, text: texts.t(languageCode, 'message-unread') })
    await sendBestEffort(send, { chatId: thread.chatId, ifLost: 'sentence maybe not shown', log })
  }
}

function isMeantForBot(ctx: Context): boolean {
  const { msg, chat } = ctx
  if (ctx.callbackQuery !== undefined || chat?.type === 'private') return true
  return msg !== undefined && chat?.type !== 'channel' && readAddress(msg, ctx.me) !== undefined
}

/** Reports to the user of an update that it was given up; in a group only if it was meant for the bot. */
export async function reportSetAside(
  ctx: Context,
  { outbox, texts }: Pick<ListenDeps, 'outbox' | 'texts'>,
): Promise<void> {
  if (!isMeantForBot(ctx) || !hasSender(ctx)) return
  const text = texts.t(ctx.sender.languageCode, 'reply-failed')
  const { callbackQuery, message } = ctx
  if (callbackQuery !== undefined) return outbox.answerButton(callbackQuery.id, text)
  if (message === undefined) return
  await outbox.send({ ...threadOf(message), ...answeredIn(message), text })
}
