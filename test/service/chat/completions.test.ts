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

// Promise: The database is away while an answer begins or ends
test.each([
  [
    'whose outcome nobody knows is withdrawn',
    'Connection terminated unexpectedly',
    ['hold-withdraw'],
  ],
  ['that cannot have been taken is left alone', 'timeout exceeded when trying to connect', []],
])('a hold %s', async (_, message, ends) => {
  const statements: string[] = []
  const query = async ({ name }: { name: string }) => {
    statements.push(name)
    if (name === 'ledger-hold') throw new Error(message)
    return { rows: [], rowCount: 2 }
  }
  const sql = { query } as unknown as Sql
  const completions = createCompletions({
    sql,
    instance: { id: 1, leased: async () => {} },
    endings: createEndings({ sql }),
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

  await expect(run).rejects.toThrow(message)
  expect(statements).toEqual(['ledger-hold', ...ends])
})
