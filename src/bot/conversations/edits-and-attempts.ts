/**
 * Further attempts at a message: users' decisions about turns that ended badly or wait for them, /retry, and edits.
 *
 * Invariant: a turn is replaced once, however often a button is pressed; the same press finds what it began.
 */
import type { Prisma } from '../../platform/database/generated/client.ts'
import type { App } from '../context.ts'
import { readFormat } from '../people/chats.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { currentConversation, newConversation } from './conversations.ts'
import type { TurnRequests } from './request.ts'
import {
  type Actor,
  type Decision,
  decisionsFor,
  mayDecide,
  nextStep,
  TURN_RELATIONS,
  type Turn,
  toTurn,
} from './turn.ts'
import type { Turns } from './turns.ts'

type Tx = Prisma.TransactionClient

export interface Decided {
  decision: Decision
  turnId: bigint
  chatId: number
  originKey: string
  actor: Actor
}

export interface RetryRequest extends ChatThread {
  originKey: string
  model?: string | undefined
  actor: Actor
}

interface Replacement {
  conversation: 'same' | 'current' | 'new'
  setAsideIds?: readonly bigint[]
  /** The existing answer stays beside the attempt. */
  isVariant?: boolean
  /** True if the messages of the replaced turn become those of the reply. */
  inPlace: boolean
}

const RETRY: Replacement = { conversation: 'same', inPlace: false }
const AGAIN: Replacement = { ...RETRY, isVariant: true }
const IN_PLACE: Replacement = { conversation: 'same', inPlace: true }

type ChooseModel = (chosen: string | null) => string

export class Attempts {
  readonly #app: App
  readonly #turns: Turns
  readonly #requests: TurnRequests

  constructor(app: App, { turns, requests }: { turns: Turns; requests: TurnRequests }) {
    this.#app = app
    this.#turns = turns
    this.#requests = requests
  }

  /** Returns the turn to run, the same or its replacement; `gone` if there is nothing to decide. */
  async decide(decided: Decided): Promise<Turn | 'not_yours' | 'gone'> {
    const { decision, originKey } = decided
    const turn = await this.#turns.read(decided.turnId)
    if (turn === undefined || turn.chatId !== decided.chatId) return 'gone'
    if (!mayDecide(turn, decided.actor)) return 'not_yours'
    const isOpen = decisionsFor(turn).includes(decision)
    // Later turns build on an answer.
    if (!isOpen || (decision === 'again' && !(await this.#turns.isLast(turn)))) {
      return (await this.#findUnended(turn, originKey)) ?? 'gone'
    }
    if (decision === 'decline') return (await this.#turns.decline(turn)) ?? 'gone'
    const { models } = this.#app
    await models.ready()
    if (decision === 'again') {
      const choose = () => models.choose(turn.model)
      return (await this.#replace(turn, AGAIN, originKey, choose)) ?? 'gone'
    }
    const how = await this.#replacementFor(decision, turn)
    return (how && (await this.#replace(turn, how, originKey, this.#chooserFor(turn)))) ?? 'gone'
  }

  /** Safe to repeat. Returns `running` while the message is being answered, `nothing` if it has no answer to repeat. */
  async retryLast({
    originKey,
    model,
    actor,
    ...thread
  }: RetryRequest): Promise<Turn | 'not_yours' | 'running' | 'nothing'> {
    const begun = await this.#turns.find({ originKey })
    if (begun !== undefined) return begun
    const last = await this.#turns.findLast(thread)
    if (last === undefined) return 'nothing'
    if (!mayDecide(last, actor)) return 'not_yours'
    if (last.endedAt === null) return 'running'
    const decisions = decisionsFor(last)
    const isAgain = decisions.includes('again')
    if (!isAgain && !decisions.includes('retry')) return 'nothing'
    await this.#app.models.ready()
    const choose = model === undefined ? this.#chooserFor(last) : () => model
    const how = isAgain ? AGAIN : RETRY
    return (await this.#replace(last, how, originKey, choose)) ?? 'nothing'
  }

  /** Finds the turns of a message that count, with its text in each, the oldest first. */
  async ofMessage(
    chatId: number,
    promptMessageId: number,
  ): Promise<{ turn: Turn; text: string }[]> {
    const found = await this.#app.prisma.turn.findMany({
      where: { chatId, promptMessageId, setAsideAt: null, state: { not: 'declined' } },
      include: {
        ...TURN_RELATIONS,
        messages: { select: { role: true, ...TURN_RELATIONS.messages.select } },
      },
      orderBy: { attempt: 'asc' },
    })
    return found.map(({ messages, ...row }) => ({
      turn: toTurn({ ...row, messages: messages.filter(({ role }) => role !== 'user') }),
      text: messages.find(({ role }) => role === 'user')?.content ?? '',
    }))
  }

  /** Begins an attempt that asks whether the turn is to be run again with another text. */
  async offerEdit(turn: Turn, text: string): Promise<Turn | undefined> {
    const { conversationId, model } = turn
    const { leaseOwner } = this.#app
    const held = { state: 'held', heldReason: 'edited', leaseOwner } as const
    const { id } = await this.#app.prisma.$transaction(async (tx) =>
      tx.turn.create({
        data: {
          ...(await nextAttempt(tx, turn)),
          conversationId,
          model,
          ...held,
          messages: { create: { conversationId, role: 'user', content: text } },
        },
        select: { id: true },
      }),
    )
    return this.#turns.read(id)
  }

  async #findUnended(before: Turn, originKey: string): Promise<Turn | undefined> {
    const next = before.state === 'declined' ? before : await this.#turns.find({ originKey })
    // A stopped turn is shown whole before its cost is known.
    return next !== undefined && nextStep(next) !== 'nothing' ? next : undefined
  }

  /** A summary was offered at the price of its own model. */
  #chooserFor(turn: Turn): ChooseModel {
    const { choose } = this.#app.models
    return turn.kind === 'summary' ? () => choose(turn.model) : choose
  }

  async #replacementFor(
    decision: Exclude<Decision, 'decline' | 'again'>,
    turn: Turn,
  ): Promise<Replacement | undefined> {
    switch (decision) {
      case 'retry':
        return RETRY
      case 'answer':
        return turn.heldReason === 'late' ? { ...IN_PLACE, conversation: 'current' } : IN_PLACE
      case 'fresh':
        return { ...IN_PLACE, conversation: 'new' }
      case 'shorten':
        return { ...IN_PLACE, setAsideIds: await this.#requests.findOldest(turn) }
      case 'rerun': {
        const setAsideIds = await this.#findBranch(turn)
        return setAsideIds.length === 0 ? undefined : { ...IN_PLACE, setAsideIds }
      }
    }
  }

  /** Includes all turns that came after the edited question. */
  async #findBranch({ conversationId, chatId, promptMessageId }: Turn): Promise<bigint[]> {
    const live = {
      conversationId,
      setAsideAt: null,
      // The turns before stay summed up.
      kind: 'answer',
      state: { notIn: ['held', 'declined'] },
    } satisfies Prisma.TurnWhereInput
    const { turn } = this.#app.prisma
    const where = { ...live, chatId, promptMessageId }
    const { _min } = await turn.aggregate({ where, _min: { id: true } })
    if (_min.id === null) return []
    const select = { id: true }
    const branch = await turn.findMany({ where: { ...live, id: { gte: _min.id } }, select })
    return branch.map(({ id }) => id)
  }

  /** The cost of the replaced turn stays. Returns undefined if the turn was set aside for another reason. */
  async #replace(
    turn: Turn,
    how: Replacement,
    originKey: string,
    choose: ChooseModel,
  ): Promise<Turn | undefined> {
    const { prisma, leaseOwner } = this.#app
    await prisma.$transaction(async (tx) => {
      const isOpen = how.isVariant ? await isLast(tx, turn) : await setAside(tx, [turn.id])
      if (!isOpen) return
      await setAside(tx, how.setAsideIds ?? [])
      const { id: conversationId, model } = await conversationFor(tx, turn, how.conversation)
      const prompt = await tx.message.findMany({
        where: { turnId: turn.id, role: 'user' },
        select: { role: true, content: true },
      })
      const shown = how.inPlace ? turn : { messageIds: [], maybeDoubleIds: [] }
      await tx.turn.create({
        data: {
          ...(await nextAttempt(tx, turn)),
          conversationId,
          replacesId: turn.id,
          originKey,
          model: choose(model),
          state: 'waiting',
          leaseOwner,
          // Without `set` Prisma would make a plan for each list, and keep it.
          messageIds: { set: shown.messageIds },
          maybeDoubleIds: { set: shown.maybeDoubleIds },
          messages: { create: prompt.map((message) => ({ ...message, conversationId })) },
        },
      })
    })
    return this.#turns.find({ originKey })
  }
}

/** Returns whether one of the turns was not set aside before. */
async function setAside(tx: Tx, ids: readonly bigint[]): Promise<boolean> {
  const where = { id: { in: [...ids] }, setAsideAt: null }
  return (await tx.turn.updateMany({ where, data: { setAsideAt: new Date() } })).count > 0
}

/** Locks the conversation, so that none of its turns begins meanwhile. */
async function isLast(tx: Tx, { id, conversationId }: Turn): Promise<boolean> {
  await tx.$executeRaw`SELECT FROM bot.conversation WHERE id = ${conversationId} FOR UPDATE`
  const select = { id: true, setAsideAt: true }
  const orderBy = { id: 'desc' } as const
  const last = await tx.turn.findFirst({ where: { conversationId }, orderBy, select })
  return last?.id === id && last.setAsideAt === null
}

async function nextAttempt(
  tx: Tx,
  { kind, chatId, threadId, userId, promptMessageId, sentAt, unseen, fileIds, ...turn }: Turn,
) {
  const where = { chatId, promptMessageId }
  const { _max } = await tx.turn.aggregate({ where, _max: { attempt: true } })
  // A user who decided about the price has seen it.
  const asksPrice = turn.asksPrice && turn.heldReason !== 'price'
  const attempt = (_max.attempt ?? 0) + 1
  const format = await readFormat(tx, chatId)
  return { ...where, kind, threadId, userId, sentAt, format, unseen, fileIds, asksPrice, attempt }
}

function conversationFor(tx: Tx, turn: Turn, conversation: Replacement['conversation']) {
  switch (conversation) {
    case 'same':
      return tx.conversation.findUniqueOrThrow({
        where: { id: turn.conversationId },
        select: { id: true, model: true },
      })
    case 'current':
      return currentConversation(tx, turn)
    case 'new':
      return newConversation(tx, turn)
  }
}
