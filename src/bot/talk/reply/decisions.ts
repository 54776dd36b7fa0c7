import { modelKey } from '../../models/model-key.ts'
import type { Models } from '../../models/models.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import type { Attempts, Replacement } from '../turns/attempts.ts'
import type { ChooseModel, Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { nextStep } from './next-step.ts'
import { type Actor, mayDecide } from './stoppable-turns.ts'
import { type Decision, decisionsFor } from './turn-keyboards.ts'
import type { TurnRequests } from './turn-request.ts'

/** A decision about a turn, pressed in a chat. */
export interface Decided {
  decision: Decision
  turnId: bigint
  modelKey?: string | undefined
  chatId: number
  originKey: string
  actor: Actor
}

/** /retry, typed in a chat. */
export interface RetryRequest extends ChatThread {
  originKey: string
  model?: string | undefined
  actor: Actor
}

const RETRY = { conversation: 'same', inPlace: false } as const
const VARIANT = { ...RETRY, isVariant: true } as const

/** An answer that is there stays beside the next one. */
function againOf({ state }: Pick<Turn, 'state'>) {
  return state === 'finished' ? VARIANT : RETRY
}

export interface DecisionsDeps {
  turns: Pick<
    Turns,
    'read' | 'findSuccessor' | 'findAttempts' | 'findLast' | 'findByOrigin' | 'isLast'
  > &
    Pick<Turns, 'decline' | 'changePrompt'>
  attempts: Attempts
  requests: Pick<TurnRequests, 'findOldest'>
  models: Pick<Models, 'choose' | 'ready' | 'listed' | 'known'>
}

/**
 * Carries out what users decide about turns that ended badly or wait for them. Each decision is taken once,
 * however often it is pressed; after a crash the same press finds what it began.
 */
export function createDecisions({ turns, attempts, requests, models }: DecisionsDeps) {
  return { decide, retryLast, recordEdit, isUnanswered }

  /**
   * @returns The turn that is to be brought to its end, the same or the one that replaces it; `gone` if
   *   there is nothing to decide any more, or no such turn in the chat; `no_model` if the service does not have
   *   the model any more.
   */
  async function decide({
    decision,
    turnId,
    modelKey: key,
    chatId,
    originKey,
    actor,
  }: Decided): Promise<Turn | 'not_yours' | 'gone' | 'no_model'> {
    const turn = await turns.read(turnId)
    if (turn === undefined || turn.chatId !== chatId) return 'gone'
    if (!mayDecide(turn, actor)) return 'not_yours'
    if (!(await isOffered(decision, turn))) return (await findUnended(turn, originKey)) ?? 'gone'
    if (decision !== 'again') return (await carryOut(decision, turn, originKey)) ?? 'gone'
    const model = await modelFor(turn, key)
    if (model === undefined) return 'no_model'
    await attempts.replace(turn, { ...againOf(turn), originKey, chooseModel: () => model })
    return (await turns.findByOrigin(originKey)) ?? 'gone'
  }

  /**
   * Has the last message of a thread's conversation answered again, for /retry. Safe to repeat.
   *
   * @returns The turn that is to be brought to its end; `running` while that message is being answered, and
   *   `nothing` where it has no answer that could be given again.
   */
  async function retryLast({
    originKey,
    model,
    actor,
    ...thread
  }: RetryRequest): Promise<Turn | 'not_yours' | 'running' | 'nothing'> {
    const begun = await turns.findByOrigin(originKey)
    if (begun !== undefined) return begun
    const last = await turns.findLast(thread)
    if (last === undefined) return 'nothing'
    if (!mayDecide(last, actor)) return 'not_yours'
    if (last.endedAt === null) return 'running'
    const decisions = decisionsFor(last)
    const isAgain = decisions.includes('again')
    if (!isAgain && !decisions.includes('retry')) return 'nothing'
    await models.ready()
    await attempts.replace(last, {
      ...(isAgain ? againOf(last) : RETRY),
      originKey,
      chooseModel: model === undefined ? chooserFor(last) : () => model,
    })
    return (await turns.findByOrigin(originKey)) ?? 'nothing'
  }

  async function isOffered(decision: Decision, turn: Turn): Promise<boolean> {
    if (!decisionsFor(turn).includes(decision)) return false
    // What comes after an answer rests on it.
    return decision !== 'again' || turns.isLast(turn)
  }

  async function modelFor({ model }: Turn, key: string | undefined): Promise<string | undefined> {
    await models.listed()
    const isMeant = (id: string) => (key === undefined ? id === model : modelKey(id) === key)
    return models.known().find(({ id }) => isMeant(id))?.id
  }

  async function findUnended(before: Turn, originKey: string): Promise<Turn | undefined> {
    const next = before.state === 'declined' ? before : await turns.findByOrigin(originKey)
    // A stopped one is shown whole before its cost is known.
    return next !== undefined && nextStep(next) !== 'nothing' ? next : undefined
  }

  async function carryOut(
    decision: Exclude<Decision, 'again'>,
    turn: Turn,
    originKey: string,
  ): Promise<Turn | undefined> {
    if (decision === 'decline') return turns.decline(turn)
    await models.ready()
    const how = await replacementFor(decision, turn)
    if (how === undefined) return undefined
    await attempts.replace(turn, { ...how, originKey, chooseModel: chooserFor(turn) })
    return turns.findByOrigin(originKey)
  }

  /** Returns the choice of a turn's model: the conversation's; a summary was offered at the price of its own. */
  function chooserFor(turn: Turn): ChooseModel {
    return turn.kind === 'summary' ? () => models.choose(turn.model) : models.choose
  }

  async function replacementFor(
    decision: Exclude<Decision, 'decline' | 'again'>,
    turn: Turn,
  ): Promise<Omit<Replacement, 'chooseModel' | 'originKey'> | undefined> {
    switch (decision) {
      case 'retry':
        return RETRY
      case 'answer':
        return { conversation: turn.heldReason === 'late' ? 'current' : 'same', inPlace: true }
      case 'fresh':
        return { conversation: 'new', inPlace: true }
      case 'shorten': {
        const setAsideIds = await requests.findOldest(turn)
        return { conversation: 'same', inPlace: true, setAsideIds }
      }
      case 'rerun': {
        const setAsideIds = await attempts.findBranch(turn)
        if (setAsideIds.length === 0) return undefined
        return { conversation: 'same', inPlace: true, setAsideIds }
      }
    }
  }

  /**
   * Records an edited prompt. One that waits for its user takes the new text; one that was answered is offered to be
   * run again.
   */
  async function recordEdit({ chatId, messageId, text }: Prompt): Promise<Turn | undefined> {
    const live = await findLive(chatId, messageId)
    const answered = live.findLast(({ turn }) => turn.state !== 'held')
    const held = live.findLast(({ turn }) => turn.state === 'held')
    if (held !== undefined) {
      if (held.text !== text) await turns.changePrompt(held.turn.id, text)
      return held.turn.endedAt === null ? held.turn : undefined
    }
    // A prompt that was asked with the new text already needs no offer.
    if (answered === undefined || answered.text === text) return undefined
    return turns.read(await attempts.offerEdit(answered.turn, text))
  }

  async function isUnanswered({ chatId, messageId }: Prompt): Promise<boolean> {
    const live = await findLive(chatId, messageId)
    return live.some(({ turn }) => turn.state === 'waiting' || turn.state === 'streaming')
  }

  async function findLive(chatId: number, messageId: number) {
    const all = await turns.findAttempts(chatId, messageId)
    return all.filter(({ turn }) => turn.setAsideAt === null && turn.state !== 'declined')
  }
}
