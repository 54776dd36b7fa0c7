import { expect, test } from 'vitest'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { DONE, delta, finish, sends, startOpenAiServer } from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

/** A value as deep as a field of a body may be: the body itself is the first level. */
const DEEP = nest(255)
/** A value as deep as one of a message may be: the list and the message are above it. */
const DEEP_IN_MESSAGE = nest(253)

function nest(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

test('unknown fields are ignored, nested to the last level that is allowed', async () => {
  let asked: unknown
  await using upstream = await startOpenAiServer((response, request) => {
    asked = request.body
    return sends(delta('a'), finish(), DONE)(response, request)
  })
  await using kopeck = await startTestService({
    config: {
      ...upstreamConfig(upstream.baseUrl),
      generation: builtInServiceConfig().generation,
    },
  })
  const post = (path: string, body: string) =>
    kopeck.call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  const answers = [
    await post(
      '/chats/completions',
      `{"model":"alpha","messages":[{"role":"user","content":"hi","x":${DEEP_IN_MESSAGE}}],"x":${DEEP}}`,
    ),
    await post('/videos/vidgen-generate', `{"prompt":"a","aspect_ratio":"1280:720","x":${DEEP}}`),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(asked).toMatchObject({ messages: [{ role: 'user', content: 'hi' }] })
})

// Promise: A body of unknown length does not end, or is nested without end
test('one level more is 422, wherever it is and in the words of the endpoint', async () => {
  await using kopeck = await startTestService()
  const refusals = [
    ['/chats/completions', `{"x":${nest(256)}}`, 'body: must not be nested deeper than 256'],
    [
      '/videos/vidgen-generate',
      nest(257),
      [{ loc: ['body'], msg: 'must not be nested deeper than 256' }],
    ],
  ] as const

  for (const [path, body, detail] of refusals) {
    const answer = await kopeck.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })

    expect(answer.status).toBe(422)
    expect(await answer.json()).toEqual({ detail })
  }
})
