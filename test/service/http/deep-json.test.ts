import { expect, test } from 'vitest'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { DONE, delta, finish, sends, startOpenAiServer } from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

test('unknown fields that are nested without end are ignored like any others', async () => {
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
      `{"model":"alpha","messages":[{"role":"user","content":"hi","x":${DEEP}}],"x":${DEEP}}`,
    ),
    await post(
      '/videos/vidgen-generate',
      `{"prompt":"a","aspect_ratio":"1280:720","x":${DEEP.slice(50_000, 150_000)}}`,
    ),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(asked).toMatchObject({ messages: [{ role: 'user', content: 'hi' }] })
})

test.each(['prompt', 'duration', 'quality', 'image_url', 'aspect_ratio'])(
  'a %s that is nested without end is 422',
  async (field) => {
    await using kopeck = await startTestService()

    const { status } = await kopeck.call('/videos/vidgen-generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"prompt":"a","${field}":${DEEP}}`,
    })

    expect(status).toBe(422)
  },
)
