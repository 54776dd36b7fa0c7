import type { WireFlow } from '../web/api.ts'

export interface FlowGroup {
  /** The reference. */
  key: string
  at: number
  account: string
  movements: WireFlow[]
  openMicroRub: bigint
  /** The amount charged until now. */
  costMicroRub: bigint
}

/** Groups movements by their reference; the group of the latest movement comes last. */
export function groupFlow(flow: readonly WireFlow[]): FlowGroup[] {
  const groups = new Map<string, FlowGroup>()
  for (const step of flow) {
    const key = step.reference
    const group = groups.get(key) ?? newGroup(key, step)
    groups.delete(key)
    groups.set(key, group)
    if (step.account !== '') group.account = step.account
    addMovement(group, step)
  }
  return [...groups.values()]
}

export function costOf(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { costMicroRub }) => sum + costMicroRub, 0n)
}

export function heldIn(groups: readonly FlowGroup[]): bigint {
  return groups.reduce((sum, { openMicroRub }) => sum + openMicroRub, 0n)
}

function newGroup(key: string, { at, account }: WireFlow): FlowGroup {
  return { key, at, account, movements: [], openMicroRub: 0n, costMicroRub: 0n }
}

const ENDS: readonly WireFlow['kind'][] = ['settle', 'keep', 'release']
const COSTS: readonly WireFlow['kind'][] = ['settle', 'keep', 'debit']

function addMovement(group: FlowGroup, step: WireFlow): void {
  const amount = parseRoubles(step.amount_rub)
  group.movements.push(step)
  if (step.kind === 'hold') group.openMicroRub += amount
  if (ENDS.includes(step.kind)) group.openMicroRub = 0n
  if (COSTS.includes(step.kind)) group.costMicroRub += amount
  if (step.kind === 'refund') group.costMicroRub -= amount
}

const MICRO_DIGITS = 6

/** Parses decimal roubles as whole millionths, so that sums are exact. */
export function parseRoubles(decimal: string | undefined): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal ?? '')
  if (match === null) return 0n
  const [, sign, whole = '0', part = ''] = match
  const micro = BigInt(whole + part.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, '0'))
  return sign === '-' ? -micro : micro
}

/** Formats millionths of a rouble to the last digit that is there, at least kopecks: `₽0.07965`, `5,00 ₽`. */
export function formatRoubles(micro: bigint, language: string): string {
  const digits = String(micro < 0n ? -micro : micro).padStart(MICRO_DIGITS + 1, '0')
  const kopecks = digits.slice(-MICRO_DIGITS).replace(/0{1,4}$/, '')
  const roubles = BigInt(digits.slice(0, -MICRO_DIGITS))
  const sign = micro < 0n ? '−' : ''
  const sum = `${new Intl.NumberFormat(language).format(roubles)}${language === 'ru' ? ',' : '.'}${kopecks}`
  return language === 'ru' ? `${sign}${sum}\u00a0₽` : `${sign}₽${sum}`
}
