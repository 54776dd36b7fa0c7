import { Composer } from 'grammy'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import {
  answeredIn,
  type BotContext,
  readAddress,
  readCommand,
  type Sender,
  threadOf,
} from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { markInstant } from '../texts/dates.ts'
import type { Texts } from '../texts/texts.ts'
import type { Access } from './access.ts'
import { type AdmissionDecision, ASK_AGAIN_MS } from './admissions.ts'
import { mayHint } from './chats.ts'
import type { FirstAdmin } from './first-admin.ts'
import { type AccessRequests, DECIDE_DATA } from './requests.ts'
import type { Roles } from './roles.ts'
import { type KnownUser, languageOf, meetUser } from './users.ts'

export interface GateDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>
  access: Access
  roles: Pick<Roles, 'admins'>
  followLanguage: (sender: Sender) => Promise<void>
  requests: AccessRequests
  firstAdmin: Pick<FirstAdmin, 'claim'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'answerButton'>
  texts: Texts
  settings: { timeZone: string }
  log: Logger
  now: () => Promise<Date>
}

const ASK_DATA = 'access:ask'

const MAYBE_UNANSWERED = 'outsider maybe not answered'

const DECISIONS: Readonly<Record<string, AdmissionDecision>> = {
  allow: 'allowed',
  refuse: 'refused',
  block: 'blocked',
}

/** Lets insiders on. Outsiders learn how to become one, and blocked users get no answer. */
export function createGate(deps: GateDeps): Composer<BotContext> {
  const { prisma, access, roles, requests, firstAdmin, outbox, texts, settings, log, now } = deps
  const { followLanguage } = deps
  const gate = new Composer<BotContext>()
  gate.use(async (ctx, next) => {
    const user = await meetUser(prisma, ctx.sender)
    ctx.sender.languageCode = languageOf(user)
    ctx.sender.role = access.roleOf(user)
    ctx.sender.hasOpenCard = user.hasOpenCard
    const status = access.statusOf(user)
    // Before the rest: that may be a choice of another one. In a group they may have no chat of their own.
    if (ctx.chat?.type === 'private') await followLanguage(ctx.sender)
    if (status !== 'blocked' && (await claimsFirstAdmin(ctx))) return
    if (status === 'insider') await next()
    if (status === 'outsider') await turnAway(ctx, user)
  })
  gate.callbackQuery(ASK_DATA, (ctx) =>
    outbox.answerButton(ctx.callbackQuery.id, texts.t(ctx.sender.languageCode, 'access-inside')),
  )
  gate.callbackQuery(DECIDE_DATA, decide)
  return gate

  async function claimsFirstAdmin({ message, sender }: BotContext): Promise<boolean> {
    if (message?.chat.type !== 'private') return false
    const command = readCommand(message)
    return command?.name === 'start' && firstAdmin.claim(sender.id, command.argument)
  }

  async function decide(ctx: BotContext & { callbackQuery: { id: string; data: string } }) {
    const { callbackQuery, sender } = ctx
    const { languageCode, id: adminId } = sender
    if (sender.role !== 'admin') {
      return outbox.answerButton(callbackQuery.id, texts.t(languageCode, 'admins-only'))
    }
    const [, verb = '', id] = DECIDE_DATA.exec(callbackQuery.data) ?? []
    const decision = DECISIONS[verb]
    if (decision === undefined) throw new TypeError(`Cannot decide: no button says "${verb}"`)
    const { outcome, user } = await requests.decide({ userId: Number(id), decision, adminId })
    if (outcome === 'admin') {
      return outbox.answerButton(callbackQuery.id, texts.t(languageCode, 'block-admin'))
    }
    const notice = user && (await requests.describeDecision(user, languageCode))
    await outbox.answerButton(
      callbackQuery.id,
      notice || texts.t(languageCode, 'access-no-request'),
    )
  }

  async function turnAway(ctx: BotContext, user: KnownUser): Promise<void> {
    const { callbackQuery, message } = ctx
    if (callbackQuery?.data === ASK_DATA) return ask(ctx, callbackQuery.id)
    if (callbackQuery !== undefined) {
      return outbox.answerButton(callbackQuery.id, (await textFor(user)).text)
    }
    if (message === undefined) return
    if (message.chat.type === 'private') return say(ctx, await textFor(user))
    const isCalled = readAddress(message, ctx.me) === 'command'
    if (!isCalled || !(await mayHint(prisma, message.chat.id))) return
    await say(ctx, { text: texts.t(ctx.sender.languageCode, 'outsider') })
  }

  async function textFor(user: KnownUser) {
    const languageCode = languageOf(user)
    const outsider = texts.t(languageCode, 'outsider')
    if ((await roles.admins()).length === 0) return { text: outsider }
    if (user.admission === 'requested') return { text: texts.t(languageCode, 'access-asked') }
    const askAgainAt = new Date((user.admissionAt?.getTime() ?? 0) + ASK_AGAIN_MS)
    if (user.admission === 'refused' && askAgainAt > (await now())) {
      const at = markInstant(askAgainAt, { languageCode, timeZone: settings.timeZone })
      return { text: texts.t(languageCode, 'access-ask-later', { at }) }
    }
    const button = { text: texts.t(languageCode, 'access-ask'), callback_data: ASK_DATA }
    return { text: outsider, keyboard: { inline_keyboard: [[button]] } }
  }

  async function ask(ctx: BotContext, callbackQueryId: string): Promise<void> {
    const { isNew, user } = await requests.ask(ctx.sender.id)
    if (user === null) return
    const shown = await textFor(user)
    const isAgain = user.admission === 'requested' && !isNew
    const again = texts.t(ctx.sender.languageCode, 'access-asked-already')
    await outbox.answerButton(callbackQueryId, isAgain ? again : shown.text)
    const message = ctx.callbackQuery?.message
    if (message === undefined || message.chat.type !== 'private') return
    const target = { chatId: message.chat.id, messageId: message.message_id }
    const edit = () => outbox.edit(target, shown.text, { ...shown })
    await sendBestEffort(edit, { chatId: target.chatId, ifLost: MAYBE_UNANSWERED, log })
  }

  async function say(
    { message }: BotContext,
    { text, keyboard }: Pick<Parameters<Outbox['send']>[0], 'keyboard'> & { text: string },
  ): Promise<void> {
    if (message === undefined) return
    const thread = threadOf(message)
    const send = () => outbox.send({ ...thread, ...answeredIn(message), text, keyboard })
    await sendBestEffort(send, { chatId: thread.chatId, ifLost: MAYBE_UNANSWERED, log })
  }
}
