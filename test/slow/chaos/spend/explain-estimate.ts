/**
 * Why a user is charged otherwise than the model billed: because the service is (`../explain-hold.ts`), or because the
 * process that was to read the cost, or to store it, ended before. The service tells a cost once, at the end of its
 * answer.
 */
import type { PastFault } from '../chaos-faults.ts'
import { explainHold, type Hindrances, known, type Reason } from '../explain-hold.ts'
import type { ChargeRow } from './read-charges.ts'
import type { Hold } from './read-holds.ts'

/** A request, its charge, and the three amounts that should be the same. */
export interface ComparedRequest {
  charge: ChargeRow | undefined
  hold: Hold | undefined
  billedMicroRub: bigint
  tookMicroRub: bigint
  paidMicroRub: bigint
}

/** The service, after the two bots. */
const SERVICE = 2
/** How long after a fault its consequences come: leases end, connections are found broken. */
const AFTER_MS = 5_000

const ESTIMATE_KEPT = 'the stream broke, and the service keeps its estimate'
const SERVICE_LOST = 'the service’s process ended before the bot had read the end'
const BOT_LOST = 'the bot’s process ended, or lost its lease, before it stored the end'

/** Finds the reasons, or what is wrong. */
export function explainEstimate(
  request: ComparedRequest,
  faults: readonly PastFault[],
): { problems: string[]; ofService?: string; ofUser?: string } {
  const { charge, hold, billedMicroRub, tookMicroRub, paidMicroRub } = request
  const ofService =
    hold !== undefined && tookMicroRub !== billedMicroRub
      ? explainHold(hold, hindrancesOf(hold, faults))
      : undefined
  const ofCharge =
    charge !== undefined && paidMicroRub !== tookMicroRub
      ? explainCharge(charge, hold, faults)
      : undefined
  const reasons = [ofService, ofCharge].filter((reason) => reason !== undefined)
  const problems = reasons.filter(({ isKnown }) => isKnown).map(({ text }) => text)
  const about = `${charge?.tag ?? hold?.asked?.tag}: ${billedMicroRub} billed, ${tookMicroRub} taken, ${paidMicroRub} paid`
  return {
    problems: problems.map((problem) => `${about}: ${problem} (${describe(request)})`),
    ...(ofService && { ofService: ofService.text }),
    ...(paidMicroRub !== billedMicroRub && {
      ofUser: reasons.map(({ text }) => text).join('; then ') || 'it has no charge',
    }),
  }
}

function hindrancesOf({ createdAt, endedAt }: Hold, faults: readonly PastFault[]): Hindrances {
  const during = faultsWithin(faults, { from: createdAt, to: endedAt })
  return {
    isServiceKilled: during.some(({ fault }) => isKillOfService(fault)),
    serviceHinderedAt: during.find(({ fault }) => isOfService(fault))?.beganAt,
    isClientGone: during.some(({ fault }) => isOfBots(fault)),
  }
}

/** Who pays for what he saw has the rest of what the service may keep written off, and nothing of it got lost. */
function explainCharge(
  charge: ChargeRow,
  hold: Hold | undefined,
  faults: readonly PastFault[],
): Reason {
  const { state, errorCode, takenBack, begunAt, createdAt, writtenOffMicroRub } = charge
  const from = hold?.createdAt ?? begunAt
  const during = faultsWithin(faults, { from, to: createdAt })
  const isBotsOwn = during.some(({ fault }) => isOfBots(fault))
  const hasKill = during.some(({ fault }) => isKillOfService(fault))
  const isBroken = errorCode === 'stream_broken' || errorCode === 'outcome_unknown'
  const pays = takenBack === 'no' ? 'its user pays what was shown' : 'written off'
  if (takenBack !== 'reversed' && isShare(charge, hold)) {
    // Of a broken stream the service keeps its estimate: nobody ever knows the cost.
    const isKept = hold?.priceMicroRub === hold?.heldMicroRub && writtenOffMicroRub > 0n
    // A stopped answer is read to its end unseen: another process may have to charge it, or it breaks off unseen.
    if (isKept && (isBroken || state === 'stopped')) return { text: `${ESTIMATE_KEPT}: ${pays}` }
    const isLeft = state === 'interrupted' || state === 'stopped'
    if (isBotsOwn && (isLeft || takenBack !== 'no')) return { text: `${BOT_LOST}: ${pays}` }
    if (hasKill && isBroken) return { text: `${SERVICE_LOST}: ${pays}` }
  }
  return known(`a turn that is ${state} (${errorCode}), charge ${takenBack}`)
}

/** The amount and what is written off are together what the service may have kept, as it was recorded or held. */
function isShare(
  { amountMicroRub, writtenOffMicroRub, askedMicroRub }: ChargeRow,
  hold: Hold | undefined,
): boolean {
  const sum = amountMicroRub + writtenOffMicroRub
  return hold === undefined || sum === hold.heldMicroRub || sum === askedMicroRub
}

function faultsWithin(
  faults: readonly PastFault[],
  { from, to }: { from: Date; to: Date },
): PastFault[] {
  return faults.filter(
    ({ beganAt, endedAt }) => beganAt <= to && endedAt.getTime() + AFTER_MS >= from.getTime(),
  )
}

function isKillOfService(fault: PastFault['fault']): boolean {
  return fault.kind === 'kill' && fault.victim === SERVICE
}

/** Faults of the database are everybody's. */
function isOfService(fault: PastFault['fault']): boolean {
  return isOfDatabase(fault) || ('victim' in fault && fault.victim === SERVICE)
}

function isOfBots(fault: PastFault['fault']): boolean {
  return isOfDatabase(fault) || !isOfService(fault)
}

function isOfDatabase(fault: PastFault['fault']): boolean {
  return !('victim' in fault)
}

function describe({ charge, hold }: ComparedRequest): string {
  const { asked, ...ofService } = hold ?? {}
  const shown = { charge, hold: ofService, asked }
  return JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
