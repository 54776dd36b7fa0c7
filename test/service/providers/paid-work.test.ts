import { describe, expect, test } from 'vitest'
import { createOpenAiImageProvider } from '../../../src/service/providers/openai/media.ts'
import type { GenerationProvider } from '../../../src/service/providers/provider.ts'
import type { ProviderAccess } from '../../../src/service/providers/provider-http.ts'
import { createRelayProvider } from '../../../src/service/providers/relay.ts'
import { createRunwayProvider } from '../../../src/service/providers/runway.ts'
import { startServer } from '../../platform/http/local-server.ts'
import { type Answer, answers, createStep } from './generation-step.ts'

const PROMPT = 'a fox in the snow'

type Maker = 'relay' | 'runway' | 'openai'
type Make = (access: ProviderAccess) => GenerationProvider<{ prompt: string }>

const makers: Readonly<Record<Maker, Make>> = {
  relay: (access) => createRelayProvider(access, 'videos/vidgen-generate'),
  runway: (access) => createRunwayProvider(access, 'gen4.5'),
  openai: (access) => createOpenAiImageProvider(access, 'm'),
}

/** A provider, and its operation before and after the creation is sent. */
async function open(maker: Maker, answer: Answer) {
  const server = await startServer(answer)
  const provider = makers[maker]({ baseUrl: server.baseUrl, apiKey: 'sk-1' })
  const unsent = await provider.start({ prompt: PROMPT }, 'key')
  return { server, provider, unsent, sent: { ...unsent, phase: 'sent' } }
}

describe.each(['relay', 'runway', 'openai'] as const)('%s', (maker) => {
  test('a creation is stored before it goes out', async () => {
    const step = createStep()
    let savedBefore: unknown
    const { provider, unsent, sent } = await open(maker, (response, request) => {
      savedBefore = structuredClone(step.saved)
      answers(200, {})(response, request)
    })

    await provider.check(unsent, step)

    expect(savedBefore).toEqual([sent])
  })

  test('a creation that cannot be stored is not sent', async () => {
    const { provider, unsent, server } = await open(maker, answers(200, {}))
    const tooLate = new Error('too late')
    const step = { ...createStep(), save: () => Promise.reject(tooLate) }

    await expect(provider.check(unsent, step)).rejects.toBe(tooLate)

    expect(server.requests).toEqual([])
  })

  test.each([400, 413, 422])('a creation refused with %i ends the task', async (status) => {
    const { provider, unsent } = await open(maker, answers(status, { error: { message: 'No.' } }))

    expect(await provider.check(unsent, createStep())).toEqual({
      status: 'fail',
      code: 502,
      message: 'The provider refused the request.',
      failure: expect.objectContaining({ kind: 'refused', status, explanation: 'No.' }),
    })
  })

  test('the explanation of a refusal holds neither our key nor the words of the customer', async () => {
    const detail = `key sk-1 may not make "${PROMPT}"`
    const { provider, unsent } = await open(maker, answers(403, { detail }))

    const state = await provider.check(unsent, createStep())

    expect(state).toMatchObject({
      failure: { explanation: 'key [hidden] may not make "[hidden]"' },
    })
  })

  test.each([
    [401, 'unauthorized'],
    [402, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'refused'],
  ])('a creation answered with %i is refused for a reason of ours (%s)', async (status, kind) => {
    const { provider, unsent, server } = await open(maker, answers(status, { error: 'no' }))

    const state = await provider.check(unsent, createStep())

    expect(state).toMatchObject({
      status: 'refused',
      failure: { kind, status, explanation: 'no' },
    })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [429, 'rate_limited'],
    [503, 'overloaded'],
  ])(
    'a creation answered with %i has not begun, and says how long to wait',
    async (status, kind) => {
      const step = createStep()
      const answer = answers(status, {}, { 'retry-after': '9' })
      const { provider, unsent, sent } = await open(maker, answer)

      expect(await provider.check(unsent, step)).toMatchObject({
        status: 'unbegun',
        failure: { kind, status, retryAfterMs: 9000 },
      })
      expect(step.saved).toEqual([sent, unsent])
    },
  )

  test('a creation that cannot leave has not begun', async () => {
    const step = createStep()
    const { unsent, sent } = await open(maker, answers(200, {}))
    const nowhere = makers[maker]({ baseUrl: 'http://127.0.0.1:1' })

    const state = await nowhere.check(unsent, step)

    expect(state).toMatchObject({ status: 'unbegun', failure: { kind: 'unreachable' } })
    expect(step.saved).toEqual([sent, unsent])
  })

  test('a creation stopped before it leaves has not begun', async () => {
    const step = createStep(AbortSignal.abort(new Error('stopping')))
    const { provider, unsent, server } = await open(maker, answers(200, {}))

    await expect(provider.check(unsent, step)).rejects.toMatchObject({ code: 'unavailable' })

    expect(server.requests).toEqual([])
    expect(step.saved.at(-1)).toEqual(unsent)
  })

  test.each<[string, Answer]>([
    ['is lost', (response) => response.destroy()],
    ['is a redirect', answers(302, {})],
    ['is a failure of its own', answers(500, {})],
    ['is the 502 page of a server in between', (response) => response.writeHead(502).end('<p>')],
    ['is a time-out of a server in between', answers(504, {})],
  ])('a creation whose answer %s is not sent a second time', async (_name, create) => {
    const step = createStep()
    const { provider, unsent, sent, server } = await open(maker, (response, request) =>
      (request.method === 'POST' ? create : answers(200, {}))(response, request),
    )

    const state = await provider.check(unsent, step)
    // The state that a process finds that takes over before the failure is stored.
    const later = await provider.check(step.saved.at(-1) ?? {}, step)

    expect(state).toMatchObject(
      maker === 'relay' ? { status: 'unbegun' } : { status: 'fail', code: 502 },
    )
    expect(later).toMatchObject({ status: 'fail', code: 502 })
    expect(step.saved).toEqual([sent])
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe.each(['relay', 'runway'] as const)('work at %s', (maker) => {
  const begun = { phase: 'begun', key: 'key', body: {}, work: '17' }

  test('is refused if the answer to its creation does not name it', async () => {
    const { provider, unsent } = await open(maker, answers(200, { name: 17 }))

    expect(await provider.check(unsent, createStep())).toMatchObject({
      status: 'refused',
      failure: { kind: 'refused', status: 200 },
    })
  })

  test.each<[string, Answer]>([
    ['401', answers(401, {})],
    ['404', answers(404, {})],
    ['500', answers(500, {})],
    ['nothing', (response) => response.destroy()],
  ])('goes on after a poll that gets %s', async (_name, answer) => {
    const { provider } = await open(maker, answer)

    await expect(provider.check(begun, createStep())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.each([
    ['12', 12_000],
    ['1', maker === 'relay' ? 3000 : 5000],
    ['86400', 300_000],
  ])(
    'waits after a poll answered with 429 and Retry-After %s',
    async (retryAfter, checkAfterMs) => {
      const { provider } = await open(maker, answers(429, {}, { 'retry-after': retryAfter }))

      expect(await provider.check(begun, createStep())).toEqual({
        status: 'generating',
        checkAfterMs,
      })
    },
  )
})
