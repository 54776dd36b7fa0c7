import { expect, test } from 'vitest'
import { ChatClient } from '../../../src/service/chat/chat-client.ts'
import { createCompletions } from '../../../src/service/chat/completions.ts'
import { createEndings } from '../../../src/service/chat/endings.ts'
import { CHAT_LIMIT } from '../../../src/service/http/rate-limit.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'

const MODEL = {
  id: 'alpha',
  family: 'A',
  contextTokens: 1000,
  defaultMaxTokens: 100,
  promptMicroRubPer1m: 1n,
  completionMicroRubPer1m: 1n,
  upstreams: [],
  retries: 0,
}

test('a hold whose outcome nobody knows is released', async () => {
  const statements: string[] = []
  const query = async ({ name }: { name: string }) => {
    statements.push(name)
    if (name === 'ledger-hold') throw new Error('Connection terminated unexpectedly')
    return { rows: [{ isDone: true, taken: null, balance: null }] }
  }
  const completions = createCompletions({
    sql: { query } as unknown as Sql,
    instance: { id: 1, leased: async () => {} },
    endings: createEndings(),
    metrics: {
      firstTokenCame() {},
      answerBegan() {},
      providerFailed() {},
      tokensUsed() {},
      moneyMoved() {},
      usageDisbelieved() {},
      clientLeftEarly() {},
    },
  })

  const run = completions.run(
    {
      accountId: 1,
      keyId: '1',
      limit: CHAT_LIMIT,
      model: MODEL,
      messages: [{ role: 'user', content: 'hi' }],
      promptTokens: 1,
      maxTokens: 1,
      client: new ChatClient(),
      onUpstream() {},
      log: { warn() {}, error() {} },
    },
    async () => expect.unreachable(),
  )

  await expect(run).rejects.toThrow('Connection terminated')
  expect(statements).toEqual(['ledger-hold', 'ledger-end'])
})
