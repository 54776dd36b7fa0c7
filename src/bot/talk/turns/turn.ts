import type { Usage } from '../../../contract/client/read-answers.ts'
import type { ServiceErrorCode } from '../../../contract/client/service-error.ts'
import type { Prisma, Turn as StoredTurn } from '../../../platform/database/generated/client.ts'
import type { HeldReason, TurnState } from '../../../platform/database/generated/enums.ts'
import { languageOf } from '../../people/users.ts'
import type { TurnCost } from '../../spend/charges/turn-cost.ts'
import { type LimitRefusal, readStoredRefusal } from '../../spend/limits/limit-refusal.ts'

/** One user message and its reply: its row (`prisma/schema/bot.prisma`), and what hangs on it. */
export interface Turn extends Omit<StoredTurn, 'chatId' | 'limitReached'> {
  chatId: number
  limitReached: LimitRefusal | null
  languageCode: string | undefined
  answer?: string
  usage?: Pick<Usage, 'promptTokens' | 'completionTokens'>
  charge?: TurnCharge
  isLast?: boolean
  beforeEndedAt?: Date | null
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

/** How a turn ended. */
export interface TurnEnd {
  state: Exclude<TurnState, 'streaming' | 'held' | 'declined'>
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
  user: { select: { language: true, languageCode: true } },
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
