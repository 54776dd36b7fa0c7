import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import {
  createServiceTrial,
  type ServiceProblem,
  tryService,
} from '../../src/process/remote-service.ts'
import { type ReceivedRequest, sendJson, startServer } from '../platform/http/local-server.ts'
import { findClosedAddress } from '../platform/http/tcp-server.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'
import { startTestService } from '../service/service-fixture.ts'

const KEY = 'sk-wrong-0123456789'
const UNSTOPPED = new AbortController().signal
const PAGE = '<html><body>Welcome</body></html>'
const LIST = { object: 'list', data: [{ id: 'gpt-5', object: 'model' }] }
const INVALID_URL = { error: { message: 'Invalid URL', type: 'invalid_request_error' } }

type Answers = Record<string, [status: number, body: unknown]>

test('a service of this interface has nothing wrong with it', async () => {
  await using kopeck = await startTestService()

  expect(await trial(`${kopeck.origin}/api/v1`, kopeck.apiKey)).toBeUndefined()
})

test.each<[string, Answers, ServiceProblem, RegExp]>([
  [
    'OpenAI',
    { '/models': [200, LIST], '*': [404, INVALID_URL] },
    'openai',
    /^SERVICE_URL: 127\.0\.0\.1:\d+ speaks OpenAI's API: set OPENAI_BASE_URL and OPENAI_API_KEY instead of SERVICE_URL and SERVICE_API_KEY$/,
  ],
  [
    'OpenAI, with a wrong key',
    { '/models': [401, INVALID_URL], '*': [404, INVALID_URL] },
    'openai',
    /set OPENAI_BASE_URL/,
  ],
  [
    'a service that does not take the key',
    { '*': [401, { detail: `No such key: ${KEY}` }] },
    'key',
    /^SERVICE_API_KEY: \S+ refuses this key; .* \(401 No such key: \[hidden\]\)$/,
  ],
  ['a website', { '*': [200, PAGE] }, 'no_service', /^SERVICE_URL: .* is no service .*Welcome/],
  [
    'a service that is busy',
    { '*': [503, { detail: 'busy' }] },
    'unavailable',
    /now \(503 busy\)$/,
  ],
])(
  '%s at SERVICE_URL is named in one sentence with what to do',
  async (_, answers, problem, sentence) => {
    const trouble = await trialOf(answers)

    expect(trouble).toEqual({ problem, sentence: expect.stringMatching(sentence) })
  },
)

test('an address where nobody answers is named', async () => {
  const url = `http://${await findClosedAddress()}/api/v1`

  const trouble = await trial(url)

  expect(trouble?.problem).toBe('unreachable')
  expect(trouble?.sentence).toContain(`SERVICE_URL: nobody answers at ${url}; is the address right`)
})

function trial(baseUrl: string, apiKey = KEY, signal = UNSTOPPED) {
  return tryService({ baseUrl, apiKey }, signal)
}

async function trialOf(answers: Answers) {
  const server = await startServer((response, { path }: ReceivedRequest) => {
    const [status, body] = answers[path.replace('/api/v1', '')] ?? answers['*'] ?? [404, PAGE]
    if (typeof body !== 'string') return sendJson(response, status, body)
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end(body)
  })
  return await trial(server.baseUrl)
}

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
