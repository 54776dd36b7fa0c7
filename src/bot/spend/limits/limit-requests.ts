import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { LimitDecision } from '../../../platform/database/generated/enums.ts'
import { createOneByOne } from '../../people/one-by-one.ts'
import type { AdminRequest, RequestCopies } from '../../people/request-copies.ts'
import { languageOf } from '../../people/users.ts'
import type { MessageRef, Outbox } from '../../telegram/send.ts'
import { sendBestEffort } from '../../telegram/shortcuts.ts'
import type { HeldLimit } from './held-limits.ts'
import { readStoredRefusal } from './limit-refusal.ts'
import {
  LIMIT_VERBS,
  type LimitRequest,
  type LimitVerb,
  raisedBy,
  WITH_ASKER,
} from './limit-request.ts'
import type { LimitTexts } from './limit-texts.ts'
import { LIMIT_MICRO_RUB_MAX, type LimitOf, type Limits } from './limits.ts'

/** A wish that a limit be raised. */
export interface LimitWish extends LimitOf {
  userId: number
  chatId: number
  threadId: number
  messageId: number
  turnId: bigint | undefined
  neededMicroRub: bigint | undefined
}

/** `has_room`: the limit holds no more, or leaves enough now. `refused`: admins refused it less than a day ago. */
export type AskOutcome = 'asked' | 'asked_already' | 'refused' | 'has_room'

export interface LimitRequestsDeps {
  prisma: PrismaClient
  limits: Pick<Limits, 'ofSubject' | 'setIn' | 'liftIn'>
  limitTexts: LimitTexts
  copies: RequestCopies
  outbox: Pick<Outbox, 'send'>
  retryKeyboard: (turnId: bigint, languageCode: string | undefined) => InlineKeyboardMarkup
  showRaised: (message: MessageRef) => Promise<void>
  log: Logger
}

/**
 * Requests that a limit be raised, and what admins decide about them. A limit has one request at a time,
 * whichever user of a group asks.
 *
 * What a crash left undone is done when its press is handled again, as with requests for access.
 */
export function createLimitRequests(deps: LimitRequestsDeps) {
  const { prisma, limits, limitTexts, copies, outbox, retryKeyboard, showRaised, log } = deps
  const ofOneLimit = createOneByOne<string>()
  return { ask, decide, describeDecision }

  function ask(wish: LimitWish): Promise<AskOutcome> {
    return ofOneLimit(requestName(wish), async () => {
      const held = (await limits.ofSubject(wish.subjectId)).find(({ period }) => {
        return period === wish.period
      })
      const neededMicroRub = wish.neededMicroRub ?? (await readNeeded(wish.turnId))
      if (!held || held.amountMicroRub === null || hasRoom(held, neededMicroRub)) return 'has_room'
      const { amountMicroRub, spentMicroRub } = held
      const isNew = await insert({ ...wish, neededMicroRub }, { amountMicroRub, spentMicroRub })
      const request = await read(wish)
      if (request === null || request.decision !== null) return 'refused'
      await copies.send(toAdminRequest(request))
      return isNew ? 'asked' : 'asked_already'
    })
  }

  /** Records a request: of several users who ask at once one is the first. @returns True if it was recorded now. */
  function insert(
    { subjectId, period, userId, chatId, threadId, messageId, turnId, neededMicroRub }: LimitWish,
    { amountMicroRub, spentMicroRub }: { amountMicroRub: bigint; spentMicroRub: bigint },
  ): Promise<boolean> {
    return prisma.$transaction(async (tx) => {
      const count = await tx.$executeRaw`
        INSERT INTO bot.limit_request (subject_id, period, user_id, chat_id, thread_id, message_id,
          turn_id, amount_micro_rub, spent_micro_rub, needed_micro_rub, asked_at)
        VALUES (${subjectId}, ${period}::bot.limit_period, ${userId}, ${chatId}, ${threadId},
          ${messageId}, ${turnId ?? null}, ${amountMicroRub}, ${spentMicroRub},
          ${neededMicroRub ?? null}::bigint, now())
        ON CONFLICT (subject_id, period) DO UPDATE SET user_id = excluded.user_id,
          chat_id = excluded.chat_id, thread_id = excluded.thread_id,
          message_id = excluded.message_id, turn_id = excluded.turn_id,
          amount_micro_rub = excluded.amount_micro_rub, spent_micro_rub = excluded.spent_micro_rub,
          needed_micro_rub = excluded.needed_micro_rub, asked_at = excluded.asked_at,
          decision = NULL, raised_micro_rub = NULL,
          decided_by_id = NULL, decided_at = NULL, told_at = NULL
        WHERE limit_request.decision IN ('raised', 'lifted')
          OR coalesce(limit_request.decided_at, limit_request.asked_at) <= now() - interval '1 day'`
      const request = requestName({ subjectId, period })
      if (count === 1) await tx.requestCopy.deleteMany({ where: { request } })
      return count === 1
    })
  }

  async function readNeeded(turnId: bigint | undefined): Promise<bigint | undefined> {
    if (turnId === undefined) return undefined
    const where = { id: turnId }
    const turn = await prisma.turn.findUnique({ where, select: { limitReached: true } })
    return readStoredRefusal(turn?.limitReached ?? null)?.neededMicroRub
  }

  /** Takes an admin's decision. @returns The request as it stands now, also where another admin decided. */
  function decide(
    given: LimitOf & { verb: LimitVerb; adminId: number },
  ): Promise<LimitRequest | null> {
    return ofOneLimit(requestName(given), async () => {
      const open = await read(given)
      if (open !== null && open.decision === null) await carryOut(open, given)
      const request = await read(given)
      if (request !== null) await Promise.all([notifyUser(request), closeCopies(request)])
      return request
    })
  }

  /** Decision and limit are written together; of two admins the first one decides. */
  async function carryOut(
    open: LimitRequest,
    { verb, adminId }: { verb: LimitVerb; adminId: number },
  ): Promise<void> {
    const { subjectId, period, askedAt } = open
    const held = (await limits.ofSubject(subjectId)).find((limit) => limit.period === period)
    const raisedMicroRub = raisedBy(verb, open)
    await prisma.$transaction(async (tx) => {
      const where = { subjectId, period, askedAt, decision: null }
      const decided = { decision: decisionOf(verb), decidedById: adminId, raisedMicroRub }
      const { count } = await tx.limitRequest.updateMany({ where, data: decided })
      if (count === 0) return
      await tx.$executeRaw`
        UPDATE bot.limit_request SET decided_at = now()
        WHERE subject_id = ${subjectId} AND period = ${period}::bot.limit_period`
      // What was set higher meanwhile stays.
      const current = held?.amountMicroRub ?? LIMIT_MICRO_RUB_MAX
      if (raisedMicroRub !== null && raisedMicroRub > current) {
        const limit = { subjectId, period, amountMicroRub: raisedMicroRub, adminId }
        await limits.setIn(tx, limit)
      }
      if (verb === 'lift') await limits.liftIn(tx, subjectId)
    })
  }

  async function describeDecision(
    request: LimitRequest,
    languageCode: string | undefined,
  ): Promise<string> {
    const admin = await copies.nameOfAdmin(request.decidedById)
    return limitTexts.decision(request, { admin, languageCode })
  }

  async function closeCopies(request: LimitRequest): Promise<void> {
    if (request.decision === null) return
    const admin = await copies.nameOfAdmin(request.decidedById)
    await copies.close({
      ...toAdminRequest(request),
      describeDecision: (languageCode) => limitTexts.decision(request, { admin, languageCode }),
    })
  }

  async function notifyUser(request: LimitRequest): Promise<void> {
    const { subjectId, period, decision, toldAt, threadId, messageId, turnId } = request
    if (decision === null || toldAt !== null) return
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
    const where = { subjectId_period: { subjectId, period } }
    await prisma.limitRequest.update({ where, data: { toldAt: new Date() } })
  }

  function toAdminRequest(request: LimitRequest): AdminRequest {
    const { subjectId, period, userId } = request
    const of = `${subjectId}:${period}`
    return {
      name: requestName(request),
      userId,
      describe: (languageCode) => limitTexts.request(request, languageCode),
      buttons: (languageCode) =>
        LIMIT_VERBS.flatMap((verb) => {
          const raised = raisedBy(verb, request)
          // Nothing is half as much again as nothing.
          if (raised !== null && raised <= request.amountMicroRub) return []
          const text = limitTexts.verb(verb, raised, languageCode)
          return [[{ text, callback_data: `limit-${verb}:${of}` }]]
        }),
    }
  }

  function read({ subjectId, period }: LimitOf): Promise<LimitRequest | null> {
    const where = { subjectId_period: { subjectId, period } }
    return prisma.limitRequest.findUnique({ where, include: WITH_ASKER })
  }
}

export type LimitRequests = ReturnType<typeof createLimitRequests>

function hasRoom(
  { amountMicroRub, spentMicroRub, reservedMicroRub, isLifted }: HeldLimit,
  neededMicroRub = 0n,
): boolean {
  if (isLifted || amountMicroRub === null) return true
  const leftMicroRub = amountMicroRub - spentMicroRub - reservedMicroRub
  return neededMicroRub > 0n && leftMicroRub >= neededMicroRub
}

function requestName({ subjectId, period }: LimitOf): string {
  return `limit:${subjectId}:${period}`
}

function decisionOf(verb: LimitVerb): LimitDecision {
  if (verb === 'refuse') return 'refused'
  return verb === 'lift' ? 'lifted' : 'raised'
}
