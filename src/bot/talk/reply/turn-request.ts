import type { CompletionRequest } from '../../../contract/client/service-client.ts'
import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import {
  findOldestPart,
  type HistoryEntry,
  judgeContext,
  readHistory,
  SUMMARY_REQUEST,
  withSystemPrompt,
} from '../../conversations/history.ts'
import type { Models } from '../../models/models.ts'
import type { PromptSize, TurnCosts } from '../../spend/charges/turn-cost.ts'
import type { LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { LateChanges } from '../../telegram/inbox/late-changes.ts'
import type { SeenAtBeginning } from '../turns/begin-turn.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'

/** The user took the turn back before it was asked. */
export class StopRequestedError extends Error {
  override readonly name = 'StopRequestedError'
  readonly code = 'stop_requested'

  constructor() {
    super('Cannot ask the service: the turn was stopped')
  }
}

/** The conversation, or its last message alone, is longer than the model can read. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError'
  readonly code: 'conversation_too_long' | 'message_too_long'

  constructor(code: TooLongError['code']) {
    super('Cannot ask the service: the request does not fit the context of the model')
    this.code = code
  }
}

/** The turn has a file that makes it dear, and its user has not seen the price. */
export class PriceUnseenError extends Error {
  override readonly name = 'PriceUnseenError'
  readonly code = 'price_unseen'
  readonly costMicroRub: bigint

  constructor(costMicroRub: bigint) {
    super('Cannot ask the service: the user has not seen the price')
    this.costMicroRub = costMicroRub
  }
}

/** About how long a request is, and how long its answer may be. */
export interface RequestSize extends PromptSize {
  answerTokens: number
  /** The limit that leaves no room for a longer one; undefined where it is as long as any. */
  boundBy?: LimitRefusal | undefined
}

/** The request to the model, and about how long it is. */
export interface TurnRequest {
  request: CompletionRequest
  size: RequestSize
}

/** The facts of a turn that was begun just now, so that they need not be read. */
export interface AsBegun extends SeenAtBeginning {
  text: string
}

export interface TurnRequestsDeps {
  prisma: Pick<PrismaClient, 'turn' | 'message'>
  turns: Pick<Turns, 'warnOnce' | 'changePrompt' | 'recordRequest'>
  models: Pick<Models, 'contextTokens'>
  costs: Pick<TurnCosts, 'estimate' | 'least' | 'answerTokens' | 'nextToShow'>
  readLateChanges: (turn: Turn) => Promise<LateChanges>
  settings: { systemPrompt?: string | undefined; maxTokens: number }
}

/** Builds the requests of turns, each from one reading of the history. */
export function createTurnRequests(deps: TurnRequestsDeps) {
  const { prisma, turns, models, costs, readLateChanges, settings } = deps
  const { systemPrompt, maxTokens } = settings
  return { build, needOf, estimatePrompt, findOldest }

  /**
   * @throws {StopRequestedError} If the turn is not wanted any more.
   * @throws {TooLongError} If the model cannot read it.
   * @throws {PriceUnseenError} If its user is to be asked first.
   * @throws {LimitReachedError} If a limit leaves no room for it.
   */
  async function build(turn: Turn, asBegun?: AsBegun): Promise<TurnRequest> {
    // An edit of its message would have been there when it was begun.
    const isUnchanged = asBegun?.isFollowed === false
    const [late, stored] = await Promise.all([
      isUnchanged ? UNCHANGED : readLateChanges(turn),
      asBegun?.isFirst ? toFirst(turn, asBegun) : historyOf(turn),
    ])
    if (late.isStopRequested) throw new StopRequestedError()
    const history = await takeUpEdit(turn, stored, late.edit)
    const messages = withSystemPrompt(history, systemPrompt)
    const promptTokens = estimatePromptTokens(messages)
    const own = ownPart(history)
    const ownTokens = estimatePromptTokens(withSystemPrompt(own, systemPrompt))
    const fit = judgeContext({
      promptTokens,
      // A summary cannot leave out any of the messages that it sums up.
      ownTokens: turn.kind === 'summary' ? promptTokens : ownTokens,
      maxTokens,
      contextTokens: models.contextTokens(turn.model),
    })
    switch (fit.type) {
      case 'conversation_too_long':
      case 'message_too_long':
        throw new TooLongError(fit.type)
      case 'nearly_full':
        if (turn.kind === 'answer') await turns.warnOnce(turn, fit.percent)
        break
      case 'fits':
    }
    if (turn.asksPrice) {
      const costMicroRub = await costs.nextToShow(turn, { promptTokens, answer: '' })
      if (costMicroRub !== undefined) throw new PriceUnseenError(costMicroRub)
    }
    const { estimate, leastMicroRub } = need(turn, promptTokens)
    const granted = await turns.recordRequest(turn.id, estimate, leastMicroRub)
    if (granted === undefined) throw new StopRequestedError()
    const { boundBy } = granted
    const answerTokens =
      boundBy === undefined
        ? maxTokens
        : costs.answerTokens(turn.model, promptTokens, granted.amountMicroRub)
    const request = { model: turn.model, messages, maxTokens: answerTokens }
    const historyMessages = history.length - own.length
    return { request, size: { promptTokens, ownTokens, historyMessages, answerTokens, boundBy } }
  }

  function need(turn: Pick<Turn, 'kind' | 'model'>, promptTokens: number) {
    const estimate = costs.estimate(turn.model, promptTokens)
    // A summary that is cut short sums up nothing.
    const leastMicroRub = turn.kind === 'answer' ? costs.least(turn.model, promptTokens) : undefined
    return { estimate, leastMicroRub }
  }

  async function needOf(turn: Turn) {
    return need(turn, await estimatePrompt(turn))
  }

  async function takeUpEdit(
    turn: Turn,
    history: HistoryEntry[],
    edit: LateChanges['edit'],
  ): Promise<HistoryEntry[]> {
    const own = history.at(-1)
    if (edit === undefined || own?.turnId !== turn.id) return history
    const asked = own.message.content
    const { before, after } = edit
    const content = changeBeginning(asked, { before, after })
    if (content === asked) return history
    await turns.changePrompt(turn.id, content)
    return [...history.slice(0, -1), { ...own, message: { role: 'user', content } }]
  }

  async function estimatePrompt(turn: Turn): Promise<number> {
    return estimatePromptTokens(withSystemPrompt(await historyOf(turn), systemPrompt))
  }

  async function findOldest(turn: Turn): Promise<bigint[]> {
    const contextTokens = models.contextTokens(turn.model) ?? Number.POSITIVE_INFINITY
    const history = await historyOf(turn)
    const refusedTokens =
      turn.requests > 0
        ? estimatePromptTokens(withSystemPrompt(history, systemPrompt))
        : Number.POSITIVE_INFINITY
    const tokensMax = Math.min(contextTokens - maxTokens, refusedTokens - 1)
    return findOldestPart(history, { systemPrompt, tokensMax })
  }

  async function historyOf(turn: Turn): Promise<HistoryEntry[]> {
    const history = await readHistory(prisma, { conversationId: turn.conversationId, turn })
    if (turn.kind === 'answer') return history
    return [...history, { turnId: turn.id, message: SUMMARY_REQUEST, isSummary: false }]
  }
}

export type TurnRequests = ReturnType<typeof createTurnRequests>

const UNCHANGED: LateChanges = { isStopRequested: false }

function toFirst({ id: turnId }: Turn, { text: content }: AsBegun): HistoryEntry[] {
  return [{ turnId, message: { role: 'user', content }, isSummary: false }]
}

/** Returns the last message and what is read with it even if nothing came before: the conversation's instruction. */
function ownPart(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.filter(({ turnId }, index) => turnId === null || index === history.length - 1)
}

/** Replaces the words of a prompt's first message; further messages and the text of files may follow them. */
function changeBeginning(
  asked: string,
  { before, after }: { before: string | undefined; after: string },
): string {
  if (before === undefined || !asked.startsWith(before)) return after
  return before === '' ? `${after}\n\n${asked}` : after + asked.slice(before.length)
}
