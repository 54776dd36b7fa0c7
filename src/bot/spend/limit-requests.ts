/**
 * Requests that a limit be raised, and the decisions of admins about them. A limit has one request at a time, whichever
 * user of a group asks.
 *
 * In: the buttons below refusals and below the messages to admins. Out: a request's row, a changed limit, and messages.
 * Invariant: of several users one asks, and of several admins one decides. A step that a crash left undone is done when
 * its callback query is handled again.
 */
import { Composer } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitDecision, LimitPeriod } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { createOneByOne } from '../people/one-by-one.ts'
import type { AdminRequest, RequestCopies } from '../people/request-copies.ts'
import { languageOf } from '../people/users.ts'
import { type BotContext, threadOf } from '../telegram/addressing.ts'
import type { MessageRef, Outbox } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import type { LimitRequest, LimitTexts } from './limit-texts.ts'
import {
  EVERYBODY,
  type HeldLimit,
  LIMIT_MICRO_RUB_MAX,
  LIMIT_VERBS,
  type LimitOf,
  type Limits,
  type LimitVerb,
  leftOf,
  raisedBy,
  readStoredRefusal,
} from './limits.ts'

const RUB = 1_000_000n
const DAY_MS = 86_400_000

const DECISIONS = { half: 'raised', double: 'raised', lift: 'lifted', refuse: 'refused' } as const

/** The limit, its period, and the turn that was not asked or the cost of an order. */
const ASK_DATA = /^limit-ask:(-?\d{1,15}):(day|week|month|all)(?::(\d{1,18})?(?::(\d{1,18}))?)?$/
const DECIDE_DATA = new RegExp(
  `^limit-(${LIMIT_VERBS.join('|')}):(-?\\d{1,15}):(day|week|month|all)$`,
)
const RAISE_DATA = /^limit-raise:(day|week|month|all):(\d{1,10})$/

const NOTICES = {
  asked: 'limit-asked',
  asked_already: 'limit-asked-already',
  refused: 'limit-asked-refused',
  has_room: 'limit-has-room',
} as const

/** `has_room`: the limit leaves enough now. `refused`: admins refused the request less than a day ago. */
type AskOutcome = keyof typeof NOTICES

/** A wish that a limit be raised. */
interface LimitWish extends LimitOf {
  userId: number
  chatId: number
  threadId: number
  messageId: number
  turnId: bigint | null
  neededMicroRub: bigint | null
}

export interface LimitRequestsContext {
  prisma: PrismaClient
  limits: Limits
  limitTexts: LimitTexts
  copies: RequestCopies
  outbox: Pick<Outbox, 'send' | 'edit' | 'answerButton'>
  texts: Texts
  retryKeyboard: (turnId: bigint, languageCode: string | undefined) => InlineKeyboardMarkup
  /** Shows a message below which a request was made as it is after a raise. */
  showRaised: (message: MessageRef) => Promise<void>
  log: Logger
}

/** The buttons by which users ask for a higher limit, and by which admins decide. */
export function createLimitButtons(context: LimitRequestsContext): Composer<BotContext> {
  const { limits, limitTexts, outbox, texts, showRaised } = context
  const requests = new LimitRequests(context)
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
    const { message_id: messageId } = message
    const outcome = await requests.ask({
      subjectId,
      period: period as LimitPeriod,
      chatId,
      threadId,
      userId: sender.id,
      messageId,
      turnId: turn === undefined ? null : BigInt(turn),
      neededMicroRub: needed === undefined ? null : BigInt(needed),
    })
    await notify(NOTICES[outcome])
    if (outcome === 'has_room') await showRaised({ chatId, messageId })
  })

  composer.callbackQuery(DECIDE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, role, id: adminId } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const [, verb, subject = '', period] = match
    const limit = { subjectId: BigInt(subject), period: period as LimitPeriod }
    const decision = await requests.decide({ ...limit, verb: verb as LimitVerb, adminId })
    await notify(decision?.(languageCode) || texts.t(languageCode, 'limit-no-request'))
  })

  composer.callbackQuery(RAISE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, role, id: adminId } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const [, given, roubles = ''] = match
    const period = given as LimitPeriod
    const amountMicroRub = BigInt(roubles) * RUB
    const now = await limits.raise({ subjectId: EVERYBODY, period, amountMicroRub, adminId })
    const raised = limitTexts.raised(now, period, languageCode)
    await notify(raised)
    const { message } = callbackQuery
    if (message?.text === undefined) return
    const target = { chatId: message.chat.id, messageId: message.message_id }
    await outbox.edit(target, `${message.text}\n\n${raised}`)
  })

  return composer
}

class LimitRequests {
  readonly #context: LimitRequestsContext
  readonly #ofOneLimit = createOneByOne<string>()

  constructor(context: LimitRequestsContext) {
    this.#context = context
  }

  ask(wish: LimitWish): Promise<AskOutcome> {
    return this.#ofOneLimit(nameOf(wish), async () => {
      const held = await this.#heldOf(wish)
      const neededMicroRub = wish.neededMicroRub ?? (await this.#readNeeded(wish.turnId))
      if (held === undefined || hasRoom(held, neededMicroRub)) return 'has_room'
      const isNew = await this.#insert({ ...wish, neededMicroRub }, held)
      const request = await this.#read(wish)
      if (request === null || request.decision !== null) return 'refused'
      await this.#context.copies.send(this.#toAdminRequest(request))
      return isNew ? 'asked' : 'asked_already'
    })
  }

  /**
   * Takes an admin's decision, or reads the decision of another admin.
   *
   * @returns A text about it; undefined if there is no request.
   */
  decide(given: LimitOf & { verb: LimitVerb; adminId: number }) {
    return this.#ofOneLimit(nameOf(given), async () => {
      const open = await this.#read(given)
      if (open !== null && open.decision === null) await this.#carryOut(open, given)
      const request = await this.#read(given)
      if (request === null) return undefined
      const { copies, limitTexts } = this.#context
      const admin = await copies.nameOfAdmin(request.decidedById)
      const describeDecision = (languageCode: string | undefined) =>
        limitTexts.decision(request, { admin, languageCode })
      const closed = { ...this.#toAdminRequest(request), describeDecision }
      const isDecided = request.decision !== null
      await Promise.all([this.#notifyUser(request), isDecided && copies.close(closed)])
      return describeDecision
    })
  }

  async #heldOf({ subjectId, period }: LimitOf): Promise<HeldLimit | undefined> {
    const held = await this.#context.limits.ofSubject(subjectId)
    return held.find((limit) => limit.period === period)
  }

  /** Records a request unless a request is open or was refused in the last day. @returns True if it is new. */
  #insert(wish: LimitWish, held: HeldLimit): Promise<boolean> {
    const { subjectId, period } = wish
    const { amountMicroRub, spentMicroRub } = held
    return this.#context.prisma.$transaction(async (tx) => {
      const askedAt = await readTime(tx)
      const dayAgo = { lte: new Date(askedAt.getTime() - DAY_MS) }
      const isOver = [
        { decision: { in: ['raised', 'lifted'] satisfies LimitDecision[] } },
        { decidedAt: dayAgo },
        { decidedAt: null, askedAt: dayAgo },
      ]
      await tx.limitRequest.deleteMany({ where: { subjectId, period, OR: isOver } })
      const data = { ...wish, amountMicroRub: amountMicroRub ?? 0n, spentMicroRub, askedAt }
      const { count } = await tx.limitRequest.createMany({ data, skipDuplicates: true })
      if (count === 1) await tx.requestCopy.deleteMany({ where: { request: nameOf(wish) } })
      return count === 1
    })
  }

  async #readNeeded(turnId: bigint | null): Promise<bigint | null> {
    if (turnId === null) return null
    const select = { limitReached: true } as const
    const turn = await this.#context.prisma.turn.findUnique({ where: { id: turnId }, select })
    return readStoredRefusal(turn?.limitReached ?? null)?.neededMicroRub ?? null
  }

  /** Writes decision and limit together: of two admins the first decides. */
  async #carryOut(
    open: LimitRequest,
    { verb, adminId }: { verb: LimitVerb; adminId: number },
  ): Promise<void> {
    const { prisma, limits } = this.#context
    const { subjectId, period, askedAt } = open
    const held = await this.#heldOf(open)
    const raisedMicroRub = raisedBy(verb, open)
    await prisma.$transaction(async (tx) => {
      const decided = { decision: DECISIONS[verb], decidedById: adminId, raisedMicroRub }
      const { count } = await tx.limitRequest.updateMany({
        where: { subjectId, period, askedAt, decision: null },
        data: { ...decided, decidedAt: await readTime(tx) },
      })
      if (count === 0) return
      // A limit that was set higher meanwhile stays.
      const current = held?.amountMicroRub ?? LIMIT_MICRO_RUB_MAX
      if (raisedMicroRub !== null && raisedMicroRub > current) {
        await limits.setIn(tx, { subjectId, period, amountMicroRub: raisedMicroRub, adminId })
      }
      if (verb === 'lift') await limits.liftIn(tx, subjectId)
    })
  }

  async #notifyUser(request: LimitRequest): Promise<void> {
    const { prisma, limitTexts, outbox, retryKeyboard, showRaised, log } = this.#context
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

  #toAdminRequest(request: LimitRequest): AdminRequest {
    const { limitTexts } = this.#context
    const { subjectId, period, userId } = request
    return {
      name: nameOf(request),
      userId,
      describe: (languageCode) => limitTexts.request(request, languageCode),
      buttons: (languageCode) =>
        LIMIT_VERBS.flatMap((verb) => {
          const raised = raisedBy(verb, request)
          // Half of nothing is nothing.
          if (raised !== null && raised <= request.amountMicroRub) return []
          const text = limitTexts.verb(verb, raised, languageCode)
          return [[{ text, callback_data: `limit-${verb}:${subjectId}:${period}` }]]
        }),
    }
  }

  #read({ subjectId, period }: LimitOf): Promise<LimitRequest | null> {
    const where = { subjectId_period: { subjectId, period } }
    return this.#context.prisma.limitRequest.findUnique({ where, include: { user: true } })
  }
}

function hasRoom(held: HeldLimit, neededMicroRub: bigint | null): boolean {
  const left = leftOf(held)
  if (left === undefined) return true
  return neededMicroRub !== null && neededMicroRub > 0n && left >= neededMicroRub
}

function nameOf({ subjectId, period }: LimitOf): string {
  return `limit:${subjectId}:${period}`
}
