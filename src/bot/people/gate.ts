import { Composer } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { readTime } from '../../platform/database/prisma.ts'
import {
  answeredIn,
  type BotContext,
  readAddress,
  readCommand,
  type Sender,
  threadOf,
} from '../telegram/addressing.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { markInstant } from '../texts/dates.ts'
import { ACCESS_DECISIONS, type AccessRequests } from './access-requests.ts'
import { mayHint } from './chats.ts'
import type { FirstAdmin } from './first-admin.ts'
import type { People } from './people.ts'
import { ASK_AGAIN_MS } from './requests.ts'
import { type KnownUser, languageOf, meetUser } from './users.ts'

export interface GateContext extends People {
  requests: AccessRequests
  firstAdmin: Pick<FirstAdmin, 'claim'>
  followLanguage: (sender: Sender) => Promise<void>
}

const ASK_DATA = 'access:ask'
const DECIDE_DATA = new RegExp(`^access:(${ACCESS_DECISIONS.join('|')}):(\\d{1,15})$`)
const MAYBE_UNANSWERED = 'outsider maybe not answered'

interface Shown {
  text: string
  keyboard?: InlineKeyboardMarkup
}

/** Passes on insiders' updates. Outsiders learn how to get access, and blocked users get no answer. */
export function createGate(context: GateContext): Composer<BotContext> {
  const { prisma, access, roles, requests, firstAdmin, outbox, texts, settings, log } = context
  const gate = new Composer<BotContext>()
  gate.use(async (ctx, next) => {
    const user = await meetUser(prisma, ctx.sender)
    ctx.sender.languageCode = languageOf(user)
    ctx.sender.role = access.roleOf(user)
    ctx.sender.hasOpenCard = user.hasOpenCard
    const status = access.statusOf(user)
    // First, because the update may choose another language. A group member may have no private chat.
    if (ctx.chat?.type === 'private') await context.followLanguage(ctx.sender)
    if (status !== 'blocked' && (await claimsFirstAdmin(ctx))) return
    if (status === 'insider') await next()
    if (status === 'outsider') await turnAway(ctx, user)
  })
  gate.callbackQuery(ASK_DATA, (ctx) =>
    outbox.answerButton(ctx.callbackQuery.id, texts.t(ctx.sender.languageCode, 'access-inside')),
  )
  gate.callbackQuery(DECIDE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, id: adminId, role } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const decision = ACCESS_DECISIONS.find((one) => one === match[1]) ?? 'refused'
    const given = { userId: Number(match[2]), decision, adminId }
    const { outcome, describe } = await requests.decide(given)
    if (outcome === 'admin') return notify(texts.t(languageCode, 'block-admin'))
    return notify(describe?.(languageCode) || texts.t(languageCode, 'request-gone'))
  })
  return gate

  async function claimsFirstAdmin({ message, sender }: BotContext): Promise<boolean> {
    if (message?.chat.type !== 'private') return false
    const command = readCommand(message)
    return command?.name === 'start' && firstAdmin.claim(sender.id, command.argument)
  }

  async function turnAway(ctx: BotContext, user: KnownUser): Promise<void> {
    const { callbackQuery, message } = ctx
    if (callbackQuery?.data === ASK_DATA) return ask(ctx, callbackQuery.id, user)
    if (callbackQuery !== undefined) {
      return outbox.answerButton(callbackQuery.id, (await textFor(user)).text)
    }
    if (message === undefined) return
    if (message.chat.type === 'private') return say(ctx, await textFor(user))
    const isCalled = readAddress(message, ctx.me) === 'command'
    if (!isCalled || !(await mayHint(prisma, message.chat.id))) return
    await say(ctx, { text: texts.t(ctx.sender.languageCode, 'outsider') })
  }

  async function textFor(user: KnownUser): Promise<Shown> {
    const languageCode = languageOf(user)
    const outsider = texts.t(languageCode, 'outsider')
    if ((await roles.admins()).length === 0) return { text: outsider }
    const asked = await requests.find(user.id)
    if (asked?.decision === null) return { text: texts.t(languageCode, 'request-sent') }
    const askAgainAt = new Date((asked?.decidedAt?.getTime() ?? 0) + ASK_AGAIN_MS)
    if (askAgainAt > (await readTime(prisma))) {
      const at = markInstant(askAgainAt, { languageCode, timeZone: settings.timeZone })
      return { text: texts.t(languageCode, 'access-ask-later', { at }) }
    }
    const button = { text: texts.t(languageCode, 'access-ask'), callback_data: ASK_DATA }
    return { text: outsider, keyboard: { inline_keyboard: [[button]] } }
  }

  async function ask(ctx: BotContext, callbackQueryId: string, user: KnownUser): Promise<void> {
    const { isNew, request } = await requests.ask(ctx.sender.id)
    const shown = await textFor(user)
    const isAgain = request?.decision === null && !isNew
    const again = texts.t(ctx.sender.languageCode, 'request-open')
    await outbox.answerButton(callbackQueryId, isAgain ? again : shown.text)
    const message = ctx.callbackQuery?.message
    if (message === undefined || message.chat.type !== 'private') return
    const target = { chatId: message.chat.id, messageId: message.message_id }
    const edit = () => outbox.edit(target, shown.text, { ...shown })
    await sendBestEffort(edit, { chatId: target.chatId, ifLost: MAYBE_UNANSWERED, log })
  }

  async function say({ message }: BotContext, { text, keyboard }: Shown): Promise<void> {
    if (message === undefined) return
    const thread = threadOf(message)
    const send = () => outbox.send({ ...thread, ...answeredIn(message), text, keyboard })
    await sendBestEffort(send, { chatId: thread.chatId, ifLost: MAYBE_UNANSWERED, log })
  }
}
