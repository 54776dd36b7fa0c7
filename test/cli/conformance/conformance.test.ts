import { expect, test } from 'vitest'
import { createConformance } from '../../../src/cli/conformance/conformance.ts'
import type { ConformanceOptions } from '../../../src/cli/conformance/options.ts'
import { openReceiver } from '../../../src/cli/conformance/receiver.ts'
import { RULES } from '../../../src/cli/conformance/rules/rules.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { FAULTS } from './faults.ts'
import type { Tampering } from './sound-callbacks.ts'
import { KEY, OTHER_KEY, SOUND_PROVOCATIONS, startSoundService } from './sound-service.ts'
import { createStepClock } from './step-clock.ts'

const CREATION = { path: 'images/imagegen-generate', body: { prompt: 'A kopeck' } }

/** Everything that can be looked at. */
const ALL: Omit<ConformanceOptions, 'callbackUrl'> = {
  isFree: false,
  withVideo: true,
  withLimits: true,
  otherApiKey: OTHER_KEY,
  isThorough: false,
  model: 'alpha',
  privateName: 'private.example',
  creation: CREATION,
  provoke: SOUND_PROVOCATIONS,
  mostMicroRub: undefined,
  settleMs: 5_000,
}

/** Looks at a sound service that was tampered with. */
async function look(tampering: Tampering = {}, options: Partial<ConformanceOptions> = {}) {
  let tick = async () => {}
  let isAsking = () => false
  const clock: Clock = createStepClock({ onStep: () => tick(), isBusy: () => isAsking() })
  const service = await startSoundService(() => clock, tampering)
  const receiver = await openReceiver({ host: '127.0.0.1', port: 0 }, clock)
  tick = () => service.tick(() => receiver.arrivals.length)
  const callbackUrl = `http://127.0.0.1:${receiver.port}/hook`
  const conformance = createConformance({
    baseUrl: service.baseUrl,
    apiKey: KEY,
    receiver,
    clock,
    options: { ...ALL, callbackUrl, ...options },
  })
  isAsking = conformance.isAsking
  try {
    const before = service.balance()
    const { cost } = await conformance.estimate().catch(() => ({ cost: [] }))
    const report = await conformance.run()
    const costMicroRub = cost.reduce((sum, { microRub = 0n }) => sum + microRub, 0n)
    return { ...report, costMicroRub, spentMicroRub: before - service.balance() }
  } finally {
    await conformance.close()
    await receiver.close()
  }
}

type Results = Awaited<ReturnType<typeof look>>['results']

const rulesOf = (results: Results, outcome: string) =>
  results.filter((result) => result.outcome === outcome).map(({ rule }) => rule)

test('a sound service breaks no rule, and every rule is seen', async () => {
  const { results } = await look()

  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(rulesOf(results, 'not seen')).toEqual([])
  expect(results).toHaveLength(RULES.length)
})

test('a sound service whose tasks fail breaks no rule either', async () => {
  const { results } = await look({ failsTasks: true })

  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(rulesOf(results, 'not seen')).toEqual(['task-result', 'task-permanent'])
})

test('there is a fault for each rule', () => {
  const rules = RULES.map(({ id }) => id)

  expect(new Set(rules).size).toBe(rules.length)
  expect(new Set(Object.keys(FAULTS))).toEqual(new Set(rules))
})

// Promise: A service of the interface breaks a rule that shows outside
test.each(Object.entries(FAULTS))(
  'a service that breaks %s fails that rule alone',
  async (rule, fault) => {
    const { results } = await look(fault)

    expect(rulesOf(results, 'failed')).toEqual([rule])
  },
)

test('what costs nothing costs nothing, and the rest is not seen', async () => {
  const { results, costMicroRub, spentMicroRub } = await look({}, { isFree: true })

  expect(spentMicroRub).toBe(0n)
  expect(costMicroRub).toBe(0n)
  expect(rulesOf(results, 'failed')).toEqual([])
  const free = RULES.filter(({ needs }) => needs === 'nothing' || needs === 'private name').map(
    ({ id }) => id,
  )
  expect(rulesOf(results, 'passed')).toEqual(free)
})

// Promise: A paid look is begun by a script
test('no more is spent than was estimated before', async () => {
  const { costMicroRub, spentMicroRub } = await look({}, { withVideo: false })

  expect(spentMicroRub).toBeGreaterThan(15_000_000n)
  expect(costMicroRub).toBeGreaterThanOrEqual(spentMicroRub)
})

test('a service that settles late breaks no rule, and is told how late it was', async () => {
  const { results } = await look({ settlesLateMs: 1_500 })

  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  const charge = results.find(({ rule }) => rule === 'chat-cost')
  expect(charge?.seen).toMatch(/, 2\.0 s late$/)
})

test('a service that settles later than it may fails', async () => {
  const { results } = await look({ settlesLateMs: 60_000 }, { provoke: {} })

  expect(rulesOf(results, 'failed')).toContain('chat-cost')
})

test('no more is spent than --most allows, and the rules that are left say so', async () => {
  const { results, spentMicroRub } = await look({}, { mostMicroRub: 12_000_000n })

  expect(spentMicroRub).toBeLessThanOrEqual(12_000_000n)
  expect(rulesOf(results, 'failed')).toEqual([])
  const left = results.find(({ rule }) => rule === 'callback-any-2xx')
  expect(left).toMatchObject({
    outcome: 'not seen',
    seen: '--most 12: a task of /images/imagegen-generate may cost 5 RUB more',
  })
})

test('a balance that pays for nothing breaks no rule', async () => {
  const { results } = await look({ balance: 10_000n }, { withLimits: false })

  expect(rulesOf(results, 'failed')).toEqual([])
  expect(rulesOf(results, 'not seen')).toContain('task-charge')
})

test('a service that refuses the address of callbacks breaks no rule, and its reason is told', async () => {
  const { results } = await look({}, { callbackUrl: 'http://192.168.0.7/hook' })

  expect(rulesOf(results, 'failed')).toEqual([])
  expect(results.find(({ rule }) => rule === 'task-created')?.outcome).toBe('passed')
  expect(results.find(({ rule }) => rule === 'callback-taken')).toMatchObject({
    outcome: 'not seen',
    seen: 'the address is refused: 422: [{"loc":["body","X-Callback-Url"],"msg":"is wrong"}]',
  })
})

test('each rule names the requests behind it', async () => {
  const { results } = await look()

  const requestsOf = (wanted: string) => results.find(({ rule }) => rule === wanted)?.requests
  expect(requestsOf('task-unknown')).toEqual([
    { method: 'GET', path: '/task/2000000011', status: 404, id: null },
  ])
  const streamed = requestsOf('stream-done') ?? []
  expect(streamed.filter(({ path }) => path === '/chats/completions')).toEqual([
    { method: 'POST', path: '/chats/completions', status: 200, id: 'r2' },
  ])
})

// Promise: A service quotes the key in an answer
test('a key that the service quotes is never shown', async () => {
  const report = await look({
    answer: (asked, reply) =>
      reply.status === 404 ? { ...reply, body: { detail: asked.headers.authorization } } : reply,
  })

  expect(JSON.stringify(report.results)).toContain('Bearer [key]')
  expect(JSON.stringify([report.results, report.notes])).not.toContain(KEY)
})
