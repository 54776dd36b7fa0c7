import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createServiceTrial } from '../../../src/process/epoch/service-trial.ts'
import type { ServiceProblem } from '../../../src/process/epoch/try-service.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const AGAIN_MS = 30_000

/** @param problems What each try finds, the last one every later try. */
function open(...problems: (ServiceProblem | undefined)[]) {
  const clock = createManualClock()
  const alerts: unknown[] = []
  const tries: number[] = []
  let answering = 0
  const trial = createServiceTrial({
    async ask() {
      tries.push(clock.now())
      const problem = problems[Math.min(tries.length, problems.length) - 1]
      return problem && { problem, sentence: `It is ${problem}` }
    },
    alertAdmins: (trouble) => void alerts.push(trouble),
    onAnswering: () => {
      answering += 1
    },
    log: pino({ enabled: false }),
    clock,
  })
  onTestFinished(trial.stop)
  return { trial, clock, alerts, tries, answering: () => answering }
}

test('a service that answers is tried once, and nobody hears of it', async () => {
  const { trial, clock, alerts, tries } = open(undefined)

  expect(await trial.begin()).toBeUndefined()
  await clock.run(10 * AGAIN_MS)

  expect(tries).toEqual([0])
  expect([trial.findReason(), alerts]).toEqual([undefined, []])
})

// Promise: SERVICE_URL is an API like OpenAI's, SERVICE_API_KEY is wrong, or nothing that the bot can talk to is at the address
test.each<[ServiceProblem, string]>([
  ['openai', 'service_is_openai'],
  ['key', 'unauthorized'],
  ['no_service', 'not_this_service'],
])(
  '%s is reported at once, stands in the health, and is tried again until it is mended',
  async (problem, alert) => {
    const { trial, clock, alerts, tries, answering } = open(problem, problem, undefined)

    expect(await trial.begin()).toEqual({ problem, sentence: `It is ${problem}` })
    expect(alerts).toEqual([alert])
    expect(trial.findReason()).toMatch(/SERVICE_/)

    await clock.run(10 * AGAIN_MS)

    expect(tries).toEqual([0, AGAIN_MS, 2 * AGAIN_MS])
    expect(trial.findReason()).toBeUndefined()
    expect(answering()).toBe(1)
  },
)
