import type { WireFlow } from '../../../web/api.ts'
import { parseRoubles } from './roubles.ts'

/** One request to the service and each movement of money that it brought. */
export interface FlowGroup {
  /** The reference; of what has none, one of its own. */
  key: string
  /** When it began, and the number of its latest step. */
  at: number
  seq: number
  account: string
  /** Without those that the list no longer has. */
  requests: WireFlow[]
  movements: WireFlow[]
  /** What is still held of it. */
  openMicroRub: bigint
  /** What it cost until now: more than nothing is less balance. */
  costMicroRub: bigint
}

/** Puts together what belongs together, in the order of the latest step, oldest first. */
export function groupFlow(flow: readonly WireFlow[]): FlowGroup[] {
  const groups = new Map<string, FlowGroup>()
  for (const step of flow) {
    const key = step.reference === '' ? `alone/${step.seq}` : `${step.account}/${step.reference}`
    const group = groups.get(key) ?? newGroup(key, step)
    // The latest stands last.
    groups.delete(key)
    groups.set(key, group)
    add(group, step)
  }
  return [...groups.values()]
}

/** What all of it took from the balances, credits aside. */
export function costOf(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { costMicroRub }) => sum + costMicroRub, 0n)
}

/** What is held now. */
export function heldIn(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { openMicroRub }) => sum + openMicroRub, 0n)
}

function newGroup(key: string, { at, seq, account }: WireFlow): FlowGroup {
  const nothing = { openMicroRub: 0n, costMicroRub: 0n }
  return { key, at, seq, account, requests: [], movements: [], ...nothing }
}

function add(group: FlowGroup, step: WireFlow): void {
  const amount = parseRoubles(step.amount_rub)
  group.seq = step.seq
  if (step.kind === 'request') group.requests.push(step)
  else group.movements.push(step)
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
