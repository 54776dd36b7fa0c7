import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createServiceClient } from '../../src/contract/client/service-client.ts'
import {
  createServiceTrial,
  type ServiceProblem,
  tryService,
} from '../../src/process/remote-service.ts'
import { type ReceivedRequest, sendJson, startServer } from '../platform/http/local-server.ts'
import { findClosedAddress } from '../platform/http/tcp-server.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'
import { startTestService } from '../service/service-fixture.ts'

const PAGE = '<html><body>Welcome</body></html>'
const INVALID_URL = { error: { message: 'Invalid URL', type: 'invalid_request_error' } }

type Answers = Record<string, [status: number, body: unknown]>

test('a service of this interface has no problem', async () => {
  await using kopeck = await startTestService()

  expect(await trial(`${kopeck.origin}/api/v1`, kopeck.apiKey)).toBeUndefined()
})

test.each<[string, Answers, ServiceProblem | undefined]>([
  ['a service without a list of models', { '/balance': [200, { balance_rub: 5 }] }, undefined],
  ['an API like OpenAI’s', { '*': [404, INVALID_URL] }, 'not_this_service'],
  ['a website', { '*': [200, PAGE] }, 'not_this_service'],
  ['a service that refuses the key', { '*': [401, { detail: 'No such key' }] }, 'unauthorized'],
  ['a service that is busy', { '*': [502, { detail: 'busy' }] }, 'service_unavailable'],
])('%s at SERVICE_URL is recognised', async (_, answers, problem) => {
  const server = await startServer((response, { path }: ReceivedRequest) => {
    const [status, body] = answers[path.replace('/api/v1', '')] ?? answers['*'] ?? [404, PAGE]
    if (typeof body !== 'string') return sendJson(response, status, body)
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end(body)
  })

  expect(await trial(server.baseUrl)).toBe(problem)
})

test('an address without a server is recognised', async () => {
  const url = `http://${await findClosedAddress()}/api/v1`

  expect(await trial(url)).toBe('service_unavailable')
})

function trial(baseUrl: string, apiKey = 'key') {
  const client = createServiceClient({ baseUrl, apiKey })
  onTestFinished(client.close)
  return tryService(client, new AbortController().signal)
}

const AGAIN_MS = 30_000

/** @param problems The finding of each try; later tries find the last one. */
function open(...problems: (ServiceProblem | undefined)[]) {
  const clock = createManualClock()
  const alerts: unknown[] = []
  const tries: number[] = []
  let answering = 0
  const trial = createServiceTrial({
    async ask() {
      tries.push(clock.now())
      return problems[Math.min(tries.length, problems.length) - 1]
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

test('a service that answers is tried once, without an alert', async () => {
  const { trial, clock, alerts, tries } = open(undefined)

  expect(await trial.begin()).toBeUndefined()
  await clock.run(10 * AGAIN_MS)

  expect(tries).toEqual([0])
  expect([trial.findReason(), alerts]).toEqual([undefined, []])
})

test.each<ServiceProblem>(['unauthorized', 'not_this_service'])(
  '%s is reported at once to admins and in the health, and tried again until it is fixed',
  async (problem) => {
    const { trial, clock, alerts, tries, answering } = open(problem, problem, undefined)

    expect(await trial.begin()).toMatch(/SERVICE_/)
    expect(alerts).toEqual([problem])
    expect(trial.findReason()).toMatch(/SERVICE_/)

    await clock.run(10 * AGAIN_MS)

    expect(tries).toEqual([0, AGAIN_MS, 2 * AGAIN_MS])
    expect(trial.findReason()).toBeUndefined()
    expect(answering()).toBe(1)
  },
)
