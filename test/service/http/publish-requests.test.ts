import { expect, onTestFinished, test } from 'vitest'
import { hearFlow } from '../flow.ts'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

const BODY = { model: 'alpha', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 }

async function start() {
  const upstream = await startOpenAiServer(sends(delta('a'), finish(), usage(1, 1), DONE))
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  onTestFinished(async () => {
    await kopeck[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })
  return kopeck
}

test.each([true, false])(
  'a chat publishes its request, its hold and its settlement under one reference (stream: %s)',
  async (stream) => {
    const kopeck = await start()
    const { published, money } = hearFlow()

    await (await kopeck.chat({ ...BODY, stream })).text()

    await expect.poll(() => published.at(-1)).toMatchObject({ status: 200 })
    const [hold, settled] = money()
    expect([hold?.kind, settled?.kind, money().length]).toEqual(['hold', 'settle', 2])
    expect(settled?.reference).toBe(hold?.reference)
    expect(published[0]).toEqual({
      kind: 'request',
      method: 'POST',
      route: '/api/v1/chats/completions',
    })
    expect(published.at(-1)).toMatchObject({
      accountId: kopeck.accountId,
      reference: hold?.reference,
      durationMs: expect.any(Number),
    })
  },
)
