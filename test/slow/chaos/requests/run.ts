import { createRandom } from '../random.ts'
import type { FaultClient, Report } from './client.ts'
import type { Plan, Planned } from './plan.ts'

const ASKED_AT_ONCE = 16

/** An account that was made, and its key. */
export interface Payer {
  accountId: number
  apiKey: string
}

/**
 * Makes every request of the plan, some at a time.
 *
 * @param onBegin Called before each with how many were begun.
 * @returns One report for each request, two for one that was made twice.
 */
export async function runPlan(
  { requests }: Plan,
  {
    payers,
    client,
    seed,
    onBegin,
  }: {
    payers: readonly Payer[]
    client: FaultClient
    seed: string
    onBegin: (begun: number) => void
  },
): Promise<Report[]> {
  const reports: Report[] = []
  const random = createRandom(`${seed} polls`)
  const waiting = requests.values()
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work))
  return reports

  async function work(): Promise<void> {
    for (const planned of waiting) {
      onBegin(planned.index)
      await make(planned.kind === 'poll' ? toPoll(planned) : planned)
    }
  }

  async function make(planned: Planned): Promise<void> {
    const { apiKey } = payerOf(planned)
    const twin = { ...planned, instance: 1 - planned.instance }
    const asked = planned.isTwice ? [planned, twin] : [planned]
    reports.push(...(await Promise.all(asked.map((each) => client.ask(each, apiKey)))))
  }

  function toPoll(planned: Planned): Planned {
    const tasks = reports.filter(
      ({ outcome, text }) => outcome === '200' && text.includes('task_id'),
    )
    if (tasks.length === 0) return { ...planned, path: '/task/2147483647', expected: ['404'] }
    const { text, planned: creation } = random.pick(tasks)
    const account = random.chance(0.8) ? creation.account : planned.account
    const path = `/task/${JSON.parse(text).task_id}`
    return {
      ...planned,
      account,
      path,
      expected: account === creation.account ? ['200', '429'] : ['404'],
    }
  }

  function payerOf({ account }: Planned): Payer {
    const payer = payers[account]
    if (payer === undefined) throw new RangeError(`Cannot find account ${account}`)
    return payer
  }
}
