/**
 * The buttons by which users ask for a higher limit, and by which admins decide. A limit has one request at a time,
 * whichever user of a group asks (`people/requests.ts`).
 *
 * In: callback queries below refusals and below the messages to admins. Out: a request's row, a changed limit, messages.
 */
import { Composer } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import {
  type RequestKey,
  Requests,
  type RequestsContext,
  type StoredRequest,
} from '../people/requests.ts'
import { languageOf } from '../people/users.ts'
import { type BotContext, threadOf } from '../telegram/addressing.ts'
import type { MessageRef } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { LimitTexts } from './limit-texts.ts'
import {
  EVERYBODY,
  type HeldLimit,
  LIMIT_MICRO_RUB_MAX,
  LIMIT_VERBS,
  type Limits,
  type LimitVerb,
  leftOf,
  raisedBy,
  readStoredRefusal,
} from './limits.ts'

/** The limit, its period, and the turn that was not asked or the cost of an order. */
const ASK_DATA = /^limit-ask:(-?\d{1,15}):(day|week|month|all)(?::(\d{1,18})?(?::(\d{1,18}))?)?$/
const DECIDE_DATA = new RegExp(
  `^limit-(${LIMIT_VERBS.join('|')}):(-?\\d{1,15}):(day|week|month|all)$`,
)

interface LimitWish extends RequestKey, MessageRef {
  userId: number
  threadId: number
  turnId: bigint | null
  neededMicroRub: bigint | null
}

export interface LimitRequestsContext extends RequestsContext {
  limits: Limits
  limitTexts: LimitTexts
  retryKeyboard: (turnId: bigint, languageCode: string | undefined) => InlineKeyboardMarkup
  /** Shows a message below which a request was made as it is after a raise. */
  showRaised: (message: MessageRef) => Promise<void>
}

export function createLimitButtons(context: LimitRequestsContext): Composer<BotContext> {
  const { limitTexts, outbox, texts } = context
  const requests = new Requests(context, {
    describe: limitTexts.request,
    buttons: (request, languageCode) =>
      LIMIT_VERBS.flatMap((verb) => {
        const raised = raisedBy(verb, request)
        // Half of nothing is nothing.
        if (raised !== null && raised <= request.amountMicroRub) return []
        const text = limitTexts.verb(verb, raised, languageCode)
        const { subjectId, period } = request
        return [[{ text, callback_data: `limit-${verb}:${subjectId}:${period}` }]]
      }),
    limitOf: limitTexts.raisedLimit,
    answer: (request) => notifyUser(context, request),
  })
  const composer = new Composer<BotContext>()

  composer.callbackQuery(ASK_DATA, async ({ callbackQuery, match, sender }) => {
    const notify = (key: string) =>
      outbox.answerButton(callbackQuery.id, texts.t(sender.languageCode, key))
    const { message } = callbackQuery
    if (message === undefined) return notify('button-stale')
    const [, subject = '', period, turn, needed] = match
    const subjectId = BigInt(subject)
    const { chatId, threadId } = threadOf(message)
    // For everybody all users may ask, for a group its members, for a user only that user.
    const theirs = [EVERYBODY, BigInt(sender.id), ...(chatId < 0 ? [BigInt(chatId)] : [])]
    if (!theirs.includes(subjectId)) return notify('turn-not-yours')
    const wish = {
      kind: 'limit' as const,
      subjectId,
      period: period as LimitPeriod,
      userId: sender.id,
      chatId,
      threadId,
      messageId: message.message_id,
      turnId: turn === undefined ? null : BigInt(turn),
      neededMicroRub: needed === undefined ? null : BigInt(needed),
    }
    const key = await ask(context, requests, wish)
    await notify(key)
    if (key === 'limit-has-room') await context.showRaised(wish)
  })

  composer.callbackQuery(DECIDE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, role, id: adminId } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const [, verb, subject = '', period] = match
    const key = {
      kind: 'limit',
      subjectId: BigInt(subject),
      period: period as LimitPeriod,
    } as const
    const decided = { verb: verb as LimitVerb, adminId }
    const { request } = await requests.decide(key, async () =>
      carryOut(context, await requests.find(key), decided),
    )
    const describe = request && (await requests.describeDecision(request))
    await notify(describe?.(languageCode) || texts.t(languageCode, 'request-gone'))
  })

  return composer
}

/** Asks the admins if the limit still leaves too little. @returns The key of a text for the user. */
async function ask(
  context: LimitRequestsContext,
  requests: Requests,
  wish: LimitWish,
): Promise<string> {
  const held = await heldOf(context, wish)
  const neededMicroRub = wish.neededMicroRub ?? (await readNeeded(context, wish.turnId))
  if (held === undefined || hasRoom(held, neededMicroRub)) return 'limit-has-room'
  const { amountMicroRub, spentMicroRub } = held
  const asked = { ...wish, neededMicroRub, amountMicroRub: amountMicroRub ?? 0n, spentMicroRub }
  const { isNew, request } = await requests.ask(asked)
  if (request?.decision !== null) return 'limit-asked-refused'
  return isNew ? 'request-sent' : 'request-open'
}

async function heldOf(
  { limits }: LimitRequestsContext,
  { subjectId, period }: RequestKey,
): Promise<HeldLimit | undefined> {
  return (await limits.ofSubject(subjectId)).find((limit) => limit.period === period)
}

async function readNeeded(
  { prisma }: LimitRequestsContext,
  id: bigint | null,
): Promise<bigint | null> {
  if (id === null) return null
  const turn = await prisma.turn.findUnique({ where: { id }, select: { limitReached: true } })
  return readStoredRefusal(turn?.limitReached ?? null)?.neededMicroRub ?? null
}

function hasRoom(held: HeldLimit, neededMicroRub: bigint | null): boolean {
  const left = leftOf(held)
  if (left === undefined) return true
  return neededMicroRub !== null && neededMicroRub > 0n && left >= neededMicroRub
}

/** Writes decision and limit together: of two admins the first decides. */
async function carryOut(
  context: LimitRequestsContext,
  open: StoredRequest | null,
  { verb, adminId }: { verb: LimitVerb; adminId: number },
): Promise<void> {
  if (open === null || open.decision !== null) return
  const { prisma, limits } = context
  const { kind, subjectId, period, askedAt } = open
  const held = await heldOf(context, open)
  const amountMicroRub = raisedBy(verb, open)
  await prisma.$transaction(async (tx) => {
    const { count } = await tx.request.updateMany({
      where: { kind, subjectId, period, askedAt, decision: null },
      data: { decision: verb, decidedById: adminId, decidedAt: await readTime(tx) },
    })
    if (count === 0) return
    // A limit that was set higher meanwhile stays.
    const current = held?.amountMicroRub ?? LIMIT_MICRO_RUB_MAX
    if (amountMicroRub !== null && amountMicroRub > current) {
      await limits.setIn(tx, { subjectId, period, amountMicroRub, adminId })
    }
  })
}

async function notifyUser(
  { limitTexts, outbox, retryKeyboard, showRaised, log }: LimitRequestsContext,
  request: StoredRequest,
): Promise<void> {
  const { decision, threadId, messageId, turnId } = request
  const chatId = Number(request.chatId)
  const languageCode = languageOf(request.user)
  const isRetried = turnId !== null && decision !== 'refused'
  const send = () =>
    outbox.send({
      chatId,
      threadId,
      text: limitTexts.answer(request, languageCode),
      ...(messageId > 0 && { replyToMessageId: messageId }),
      ...(isRetried && { keyboard: retryKeyboard(turnId, languageCode) }),
    })
  if (decision !== 'refused') await showRaised({ chatId, messageId })
  await sendBestEffort(send, { chatId, ifLost: 'decision on a limit maybe not sent', log })
}
