import type { App } from '../context.ts'
import { modelKey } from '../models.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { findBranch, type Replacement, replaceTurn } from './attempts.ts'
import { type Decision, decisionsFor } from './keyboards.ts'
import type { TurnRequests } from './request.ts'
import { type Actor, type ChooseModel, mayDecide, nextStep, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

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

/**
 * Carries out what users decide about turns that ended badly or wait for them. Each decision is taken once,
 * however often it is pressed; after a crash the same press finds what it began.
 */
export class Decisions {
  readonly #app: App
  readonly #turns: Turns
  readonly #requests: TurnRequests

  constructor(app: App, { turns, requests }: { turns: Turns; requests: TurnRequests }) {
    this.#app = app
    this.#turns = turns
    this.#requests = requests
  }

  /**
   * @returns The turn that is to be brought to its end, the same or the one that replaces it; `gone` if
   *   there is nothing to decide any more, or no such turn in the chat; `no_model` if the service does not have
   *   the model any more.
   */
  async decide(decided: Decided): Promise<Turn | 'not_yours' | 'gone' | 'no_model'> {
    const { decision, originKey } = decided
    const turn = await this.#turns.read(decided.turnId)
    if (turn === undefined || turn.chatId !== decided.chatId) return 'gone'
    if (!mayDecide(turn, decided.actor)) return 'not_yours'
    if (!(await this.#isOffered(decision, turn))) {
      return (await this.#findUnended(turn, originKey)) ?? 'gone'
    }
    if (decision !== 'again') return (await this.#carryOut(decision, turn, originKey)) ?? 'gone'
    const model = await this.#modelFor(turn, decided.modelKey)
    if (model === undefined) return 'no_model'
    await replaceTurn(this.#app, turn, { ...againOf(turn), originKey, chooseModel: () => model })
    return (await this.#turns.findByOrigin(originKey)) ?? 'gone'
  }

  /**
   * Begins another answer to the last message of a thread's conversation, for /retry. Safe to repeat.
   *
   * @returns The turn that is to be brought to its end; `running` while that message is being answered, and
   *   `nothing` where it has no answer that could be given again.
   */
  async retryLast({
    originKey,
    model,
    actor,
    ...thread
  }: RetryRequest): Promise<Turn | 'not_yours' | 'running' | 'nothing'> {
    const begun = await this.#turns.findByOrigin(originKey)
    if (begun !== undefined) return begun
    const last = await this.#turns.findLast(thread)
    if (last === undefined) return 'nothing'
    if (!mayDecide(last, actor)) return 'not_yours'
    if (last.endedAt === null) return 'running'
    const decisions = decisionsFor(last)
    const isAgain = decisions.includes('again')
    if (!isAgain && !decisions.includes('retry')) return 'nothing'
    await this.#app.models.ready()
    await replaceTurn(this.#app, last, {
      ...(isAgain ? againOf(last) : RETRY),
      originKey,
      chooseModel: model === undefined ? this.#chooserFor(last) : () => model,
    })
    return (await this.#turns.findByOrigin(originKey)) ?? 'nothing'
  }

  async #isOffered(decision: Decision, turn: Turn): Promise<boolean> {
    if (!decisionsFor(turn).includes(decision)) return false
    // Later turns rest on an answer.
    return decision !== 'again' || this.#turns.isLast(turn)
  }

  async #modelFor({ model }: Turn, key: string | undefined): Promise<string | undefined> {
    const { models } = this.#app
    await models.listed()
    const isMeant = (id: string) => (key === undefined ? id === model : modelKey(id) === key)
    return models.known().find(({ id }) => isMeant(id))?.id
  }

  async #findUnended(before: Turn, originKey: string): Promise<Turn | undefined> {
    const isDeclined = before.state === 'declined'
    const next = isDeclined ? before : await this.#turns.findByOrigin(originKey)
    // A stopped one is shown whole before its cost is known.
    return next !== undefined && nextStep(next) !== 'nothing' ? next : undefined
  }

  async #carryOut(
    decision: Exclude<Decision, 'again'>,
    turn: Turn,
    originKey: string,
  ): Promise<Turn | undefined> {
    if (decision === 'decline') return this.#turns.decline(turn)
    await this.#app.models.ready()
    const how = await this.#replacementFor(decision, turn)
    if (how === undefined) return undefined
    await replaceTurn(this.#app, turn, { ...how, originKey, chooseModel: this.#chooserFor(turn) })
    return this.#turns.findByOrigin(originKey)
  }

  /** Returns the choice of a turn's model: the conversation's; a summary was offered at the price of its own. */
  #chooserFor(turn: Turn): ChooseModel {
    const { choose } = this.#app.models
    return turn.kind === 'summary' ? () => choose(turn.model) : choose
  }

  async #replacementFor(
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
        const setAsideIds = await this.#requests.findOldest(turn)
        return { conversation: 'same', inPlace: true, setAsideIds }
      }
      case 'rerun': {
        const setAsideIds = await findBranch(this.#app, turn)
        if (setAsideIds.length === 0) return undefined
        return { conversation: 'same', inPlace: true, setAsideIds }
      }
    }
  }
}
