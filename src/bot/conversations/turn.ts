import type { Usage } from '../../contract/client/read-answers.ts'
import type { ServiceErrorCode } from '../../contract/client/service-error.ts'
import type { Prisma, Turn as StoredTurn } from '../../platform/database/generated/client.ts'
import type { HeldReason, TurnState } from '../../platform/database/generated/enums.ts'
import { languageOf } from '../people/users.ts'
import type { NotedTurn } from '../spend/cost-notes.ts'
import type { TurnCost } from '../spend/costs.ts'
import { type LimitRefusal, readStoredRefusal } from '../spend/limits.ts'
import { parseCostNote } from '../stored-settings.ts'

/** One user message and its reply: its row (`prisma/schema/bot.prisma`), and what hangs on it. */
export interface Turn extends Omit<StoredTurn, 'chatId' | 'limitReached'>, NotedTurn {
  chatId: number
  limitReached: LimitRefusal | null
  languageCode: string | undefined
  answer?: string
  usage?: Pick<Usage, 'promptTokens' | 'completionTokens'>
  charge?: TurnCharge
  /** As its end saw it, so that it need not be read again. */
  isLast?: boolean
}

/** The charge of a turn's last request. */
export interface TurnCharge {
  amountMicroRub: bigint
  estimated: boolean
  /** What the service may have kept beside it: its user pays for what was shown. */
  writtenOffMicroRub: bigint
}

/** Why a turn ended as it did: one of the service's reasons, or one of the bot's. */
export type TurnErrorCode =
  | ServiceErrorCode
  /** The answer reached the limit of its length; one without a text spent all of it on thinking. */
  | 'length'
  /** The provider's filter ended the answer. */
  | 'content_filter'
  /** The model refused to answer; its words are the text. */
  | 'refused'
  /** It was stopped before its request was made: it costs nothing. */
  | 'not_asked'
  /** Its message alone is longer than its model can read. */
  | 'message_too_long'
  /** A limit of its user or its group left no room for it: it was not asked and costs nothing. */
  | 'limit_reached'
  /** Something in the bot itself went wrong. */
  | 'internal'
  /** It was stopped after its process had died: its chat may show more of it than is stored. */
  | 'cut_short'

const UNASKED: ReadonlySet<string | undefined> = new Set([
  'not_asked',
  'message_too_long',
  'limit_reached',
] satisfies TurnErrorCode[])

/** Checks whether a turn ends without a request of its own: one that went out before was hidden by a crash. */
export function isUnasked(errorCode: TurnErrorCode | undefined): boolean {
  return UNASKED.has(errorCode)
}

/** The part of a reply that the user sees. */
export interface ShownReply {
  messageIds: number[]
  maybeDoubleIds: number[]
  mayHaveSent: boolean
  shownText: string
}

/** Why a turn is left to its user's decision, and what it will cost where that is why. */
export interface TurnHold {
  heldReason: HeldReason
  nextCostMicroRub?: bigint
}

/** Checks whether a turn was left in the middle, so that its chat may show more of its reply than is stored. */
export function isCutShort({ state, errorCode }: Pick<Turn, 'state' | 'errorCode'>): boolean {
  return state === 'interrupted' || errorCode === 'cut_short'
}

/** Returns the messages of a reply that keep the text which they show; their buttons change. */
export function keptMessages(turn: Pick<Turn, 'state' | 'errorCode' | 'messageIds'>): number[] {
  return isCutShort(turn) ? turn.messageIds : []
}

/** The states of a turn that has not ended: the service was not asked for it yet, or it was. */
export const OPEN_STATES = ['waiting', 'streaming'] as const satisfies readonly TurnState[]

export function isOpen({ state }: Pick<Turn, 'state'>): boolean {
  return state === 'waiting' || state === 'streaming'
}

/** The step that brings a stored turn nearer to its end. */
export type NextStep = 'run' | 'cut_short' | 'charge' | 'show' | 'nothing'

/**
 * Decides from a turn alone how it goes on, whether it was begun just now or by a process that died:
 * one that showed nothing yet runs, one that was left in the middle is ended with what was shown, a
 * stopped one is charged, and one that ended is shown whole.
 */
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

/** The user who presses a button or types a command. */
export interface Actor {
  userId: number
  isAdmin: boolean
}

/** Checks whether a user may decide about a turn: the user who asked may, and admins. */
export function mayDecide({ userId }: Pick<Turn, 'userId'>, actor: Actor): boolean {
  return actor.isAdmin || BigInt(actor.userId) === userId
}

/** How a turn ended. */
export interface TurnEnd {
  state: Exclude<TurnState, 'waiting' | 'streaming' | 'held' | 'declined'>
  errorCode?: TurnErrorCode | undefined
  text: string
  cost?: TurnCost | undefined
  limitReached?: LimitRefusal | undefined
  nextCostMicroRub?: bigint | undefined
}

/** Makes the model of what was chosen for a conversation. */
export type ChooseModel = (chosen: string | null) => string

/** The relations that are read with a turn's row. */
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
  // Those of requests before were written off, since a crash hid their ends.
  const charge = charges.find(({ request }) => request === Math.max(row.requests, 1))
  return {
    ...row,
    chatId: Number(row.chatId),
    limitReached: readStoredRefusal(row.limitReached),
    languageCode: languageOf(user),
    ...(user.costNote !== null && { costNote: parseCostNote(user.costNote) }),
    ...(answer && { answer: answer.content, ...usageOf(answer) }),
    ...(charge && { charge: toTurnCharge(charge) }),
  }
}

/** Returns what a turn keeps of its charge. */
export function toTurnCharge({
  amountMicroRub,
  estimated,
  writtenOffMicroRub = 0n,
}: Pick<TurnCost, 'amountMicroRub' | 'estimated' | 'writtenOffMicroRub'>): TurnCharge {
  return { amountMicroRub, estimated, writtenOffMicroRub }
}

function usageOf({
  promptTokens,
  completionTokens,
}: {
  promptTokens: number | null
  completionTokens: number | null
}): Pick<Turn, 'usage'> {
  if (promptTokens === null || completionTokens === null) return {}
  return { usage: { promptTokens, completionTokens } }
}
