import type { WireFlow } from '../../../web/api.ts'
import { parseRoubles } from './roubles.ts'

/** The same request made once or many times, as a task that is asked for until it is done. */
export interface RequestCount {
  text: string
  count: number
  /** The latest of them. */
  last: WireFlow
}

/** One request to the service and each movement of money that it brought. */
export interface FlowGroup {
  /** The reference; of what has none, one of its own. */
  key: string
  /** When it began. */
  at: number
  account: string
  requests: RequestCount[]
  movements: WireFlow[]
  /** The amount that is held of it now. */
  openMicroRub: bigint
  /** The amount that it cost until now. */
  costMicroRub: bigint
}

/** Puts together what belongs together, in the order of the latest step, oldest first. */
export function groupFlow(flow: readonly WireFlow[]): FlowGroup[] {
  const groups = new Map<string, FlowGroup>()
  for (const step of flow) {
    const key = step.reference === '' ? `alone ${step.seq}` : step.reference
    const group = groups.get(key) ?? newGroup(key, step)
    // The latest stands last.
    groups.delete(key)
    groups.set(key, group)
    if (step.account !== '') group.account = step.account
    if (step.kind === 'request') addRequest(group, step)
    else addMovement(group, step)
  }
  return [...groups.values()]
}

/** Sums what all groups took from the balances. Money that was put in is no negative cost. */
export function costOf(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { costMicroRub }) => sum + costMicroRub, 0n)
}

/** Sums what is held now. */
export function heldIn(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { openMicroRub }) => sum + openMicroRub, 0n)
}

function newGroup(key: string, { at, account }: WireFlow): FlowGroup {
  const nothing = { openMicroRub: 0n, costMicroRub: 0n }
  return { key, at, account, requests: [], movements: [], ...nothing }
}

function addRequest({ requests }: FlowGroup, step: WireFlow): void {
  const known = requests.find(({ text }) => text === step.text)
  if (known === undefined) {
    requests.push({ text: step.text, count: 1, last: step })
    return
  }
  known.count++
  known.last = step
}

function addMovement(group: FlowGroup, step: WireFlow): void {
  const amount = parseRoubles(step.amount_rub)
  group.movements.push(step)
  switch (step.kind) {
    case 'hold':
      group.openMicroRub += amount
      break
    case 'settle':
    case 'keep':
      group.openMicroRub = 0n
      group.costMicroRub += amount
      break
    case 'release':
      group.openMicroRub = 0n
      break
    case 'debit':
      group.costMicroRub += amount
      break
    case 'refund':
      group.costMicroRub -= amount
      break
    case 'credit':
    case 'request':
      break
  }
}
