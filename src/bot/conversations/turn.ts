/** One user message and its reply, and the decisions that follow from them alone. */
import type { CompletionEvent } from '../../contract/client/completion-stream.ts'
import type { Usage } from '../../contract/client/read-answers.ts'
import type { ServiceErrorCode } from '../../contract/client/service-error.ts'
import type { Prisma, Turn as StoredTurn } from '../../platform/database/generated/client.ts'
import type { HeldReason, TurnState } from '../../platform/database/generated/enums.ts'
import type { App } from '../context.ts'
import { languageOf } from '../people/users.ts'
import type { NotedTurn } from '../spend/cost-notes.ts'
import type { TurnCost } from '../spend/costs.ts'
import { type LimitRefusal, readStoredRefusal } from '../spend/limits.ts'
import type { SpendParts } from '../spend/spend.ts'
import { parseCostNote } from '../stored-settings.ts'
import { errorFacts } from '../telegram/errors.ts'

export type TurnsApp = Pick<App, 'prisma' | 'leaseOwner' | 'telegramNow'> & {
  spend: Pick<SpendParts, 'calendar'> & { limits: Pick<SpendParts['limits'], 'reserve'> }
}

/** A turn's row (`prisma/schema/bot.prisma`), its answer and the charge of its last request. */
export interface Turn extends Omit<StoredTurn, 'chatId' | 'limitReached'>, NotedTurn {
  chatId: number
  limitReached: LimitRefusal | null
  languageCode: string | undefined
  answer?: string
  usage?: Pick<Usage, 'promptTokens' | 'completionTokens'>
  charge?: TurnCharge
  /** As its end saw it, which saves a query. */
  isLast?: boolean
}

export interface TurnCharge {
  amountMicroRub: bigint
  estimated: boolean
  /** The part that the service may have kept: its user pays for the shown text. */
  writtenOffMicroRub: bigint
}

export type TurnErrorCode =
  | ServiceErrorCode
  /** The answer reached the limit of its length; without a text it spent all of it on thinking. */
  | 'length'
  | 'content_filter'
  /** The model refused to answer; its words are the text. */
  | 'refused'
  /** It was stopped before its request was made: it costs nothing. */
  | 'not_asked'
  /** Its message alone is longer than its model can read. */
  | 'message_too_long'
  /** A limit left no room for it: it was not asked and costs nothing. */
  | 'limit_reached'
  /** A failure of the bot itself. */
  | 'internal'
  /** It was stopped after its process had died: its chat may show more of it than is stored. */
  | 'cut_short'

const UNASKED: ReadonlySet<string | undefined> = new Set([
  'not_asked',
  'message_too_long',
  'limit_reached',
] satisfies TurnErrorCode[])

/** Checks whether a turn ends without a request of its own: an earlier request was hidden by a crash. */
export function isUnasked(errorCode: TurnErrorCode | undefined): boolean {
  return UNASKED.has(errorCode)
}

export interface ShownReply {
  messageIds: number[]
  maybeDoubleIds: number[]
  mayHaveSent: boolean
  shownText: string
}

export interface TurnHold {
  heldReason: HeldReason
  nextCostMicroRub?: bigint
}

export interface TurnEnd {
  state: Exclude<TurnState, 'waiting' | 'streaming' | 'held' | 'declined'>
  errorCode?: TurnErrorCode | undefined
  text: string
  cost?: TurnCost | undefined
  limitReached?: LimitRefusal | undefined
  nextCostMicroRub?: bigint | undefined
}

export type CompletionFinish = Extract<CompletionEvent, { type: 'finish' }>

/** `shown`: the service may have charged an unknown amount; the user pays for the shown text. */
export interface Ending extends Pick<TurnEnd, 'state' | 'errorCode' | 'limitReached'> {
  cost: 'nothing' | 'shown' | CompletionFinish
}

export const NOT_ASKED: Ending = { state: 'stopped', errorCode: 'not_asked', cost: 'nothing' }

/** The chat may show more of such a turn's reply than is stored. */
export function isCutShort({ state, errorCode }: Pick<Turn, 'state' | 'errorCode'>): boolean {
  return state === 'interrupted' || errorCode === 'cut_short'
}

/** Returns the messages of a reply whose text stays as it is; their buttons change. */
export function keptMessages(turn: Pick<Turn, 'state' | 'errorCode' | 'messageIds'>): number[] {
  return isCutShort(turn) ? turn.messageIds : []
}

export function turnFacts(id: bigint, error: unknown) {
  return { ...errorFacts(error), turnId: id.toString() }
}

export const OPEN_STATES = ['waiting', 'streaming'] as const satisfies readonly TurnState[]

export function isOpen({ state }: Pick<Turn, 'state'>): boolean {
  return state === 'waiting' || state === 'streaming'
}

export type NextStep = 'run' | 'cut_short' | 'charge' | 'show' | 'nothing'

/** Decides from a turn alone how it continues, in the process that began it or in another process. */
export function nextStep(
  turn: Pick<Turn, 'state' | 'shownText' | 'stopRequestedAt' | 'errorCode' | 'charge' | 'endedAt'>,
): NextStep {
  if (isOpen(turn)) {
    return turn.shownText === '' && turn.stopRequestedAt === null ? 'run' : 'cut_short'
  }
  const isUncharged = turn.errorCode !== 'not_asked' && turn.charge === undefined
  if (turn.state === 'stopped' && isUncharged) return 'charge'
  return turn.endedAt === null ? 'show' : 'nothing'
}

export interface Actor {
  userId: number
  isAdmin: boolean
}

export function mayDecide({ userId }: Pick<Turn, 'userId'>, actor: Actor): boolean {
  return actor.isAdmin || BigInt(actor.userId) === userId
}

export const DECISIONS = [
  'retry',
  'again',
  'answer',
  'decline',
  'fresh',
  'shorten',
  'rerun',
] as const
export type Decision = (typeof DECISIONS)[number]

export function decisionsFor(
  turn: Pick<Turn, 'kind' | 'state' | 'heldReason' | 'errorCode' | 'setAsideAt'>,
): readonly Decision[] {
  const { kind, state, heldReason, errorCode } = turn
  if (turn.setAsideAt !== null) return []
  switch (state) {
    case 'stopped':
    case 'interrupted':
      return ['retry']
    case 'failed':
      return errorCode === 'message_too_long' ? [] : ['retry']
    case 'held':
      if (heldReason === 'late' || heldReason === 'price') return ['answer', 'decline']
      return heldReason === 'conversation_too_long' ? ['fresh', 'shorten'] : ['rerun']
    case 'finished':
      return kind === 'answer' ? ['again'] : []
    case 'waiting':
    case 'streaming':
    case 'declined':
      return []
  }
}

export const TURN_RELATIONS = {
  user: { select: { language: true, languageCode: true, costNote: true } },
  messages: {
    where: { role: { not: 'user' } },
    select: { content: true, promptTokens: true, completionTokens: true },
  },
  charge: {
    where: { reversalOfId: null, reversal: null },
    select: { request: true, amountMicroRub: true, estimated: true, writtenOffMicroRub: true },
  },
} as const satisfies Prisma.TurnInclude

export function toTurn({
  user,
  messages: [answer],
  charge: charges,
  ...row
}: Prisma.TurnGetPayload<{ include: typeof TURN_RELATIONS }>): Turn {
  // Earlier requests were written off, since a crash hid their ends.
  const charge = charges.find(({ request }) => request === Math.max(row.requests, 1))
  const { promptTokens = null, completionTokens = null } = answer ?? {}
  return {
    ...row,
    chatId: Number(row.chatId),
    limitReached: readStoredRefusal(row.limitReached),
    languageCode: languageOf(user),
    ...(user.costNote !== null && { costNote: parseCostNote(user.costNote) }),
    ...(answer && { answer: answer.content }),
    ...(promptTokens !== null &&
      completionTokens !== null && { usage: { promptTokens, completionTokens } }),
    ...(charge && { charge: toTurnCharge(charge) }),
  }
}

export function toTurnCharge({
  amountMicroRub,
  estimated,
  writtenOffMicroRub = 0n,
}: Pick<TurnCost, 'amountMicroRub' | 'estimated' | 'writtenOffMicroRub'>): TurnCharge {
  return { amountMicroRub, estimated, writtenOffMicroRub }
}
