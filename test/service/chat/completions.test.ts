import { expect, onTestFinished, test, vi } from 'vitest'
import { ChatClient, LEFT_MS_MAX } from '../../../src/service/chat/chat-client.ts'
import { createCompletions } from '../../../src/service/chat/completions.ts'
import { createEndings } from '../../../src/service/chat/endings.ts'
import { CHAT_LIMIT } from '../../../src/service/http/rate-limit.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import type { FailureKind } from '../../../src/service/providers/failure.ts'
import { ProviderError } from '../../../src/service/providers/provider.ts'
import { createStanding } from '../../../src/service/providers/standing.ts'

const MODEL = {
  id: 'alpha',
  family: 'A',
  contextTokens: 1000,
  defaultMaxTokens: 100,
  promptMicroRubPer1m: 1n,
  completionMicroRubPer1m: 1n,
  upstreams: [],
  retries: 0,
  thinkingTokens: 0,
}

const CHAT = {
  accountId: 1,
  keyId: '1',
  limit: CHAT_LIMIT,
  model: MODEL,
  messages: [{ role: 'user' as const, content: 'hi' }],
  promptTokens: 1,
  maxTokens: 1,
  client: new ChatClient(),
  onUpstream() {},
  log: { warn() {}, error() {} },
}

function openCompletions(query: (statement: { name: string }) => Promise<unknown>) {
  const leavers: number[] = []
  const sql = { query } as unknown as Sql
  const completions = createCompletions({
    sql,
    instance: { id: 1, leased: async () => {} },
    endings: createEndings({ sql }),
    earlyLeaves: {
      check() {},
      beginUnseen: () => () => {},
      record: async (accountId) => void leavers.push(accountId),
    },
    metrics: {
      firstTokenCame() {},
      plainAnswerCame() {},
      answerBegan() {},
      providerFailed() {},
      tokensUsed() {},
      moneyMoved() {},
      usageDisbelieved() {},
      clientLeftEarly() {},
    },
  })
  return { completions, leavers }
}

// Promise: The clients of an account leave one chat after the other, and upstreams work for nothing
test.each([
  ['says nothing for 120 s', [1], (signal: AbortSignal) => rejected(signal)],
  ['says nothing until its time-out, which began with the request', [1], failed('timed_out')],
  ['fails', [], failed('overloaded')],
])(
  'of a chat that is left before anything came, and whose upstream then %s, the early leaves of its account are %j',
  async (_, counted, answer) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const left = Promise.withResolvers<void>()
    const provider = {
      supports: () => true,
      stream: async (_asked: unknown, signal: AbortSignal) => {
        await left.promise
        return await answer(signal)
      },
    }
    const coolDown = { begin: () => ({ succeeded() {}, failed() {} }), restMs: () => 0 }
    const model = {
      ...MODEL,
      upstreams: [
        { name: 'up', weight: undefined, provider, coolDown, standing: createStanding() },
      ],
    }
    const { completions, leavers } = openCompletions(async () => ({
      rows: [{ isDone: true, taken: null, balance: null }],
    }))
    const client = new ChatClient()

    const running = completions.run({ ...CHAT, model, client }, (open) =>
      open.stream(() => undefined),
    )
    const failed = expect(running).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(0)
    client.leave()
    left.resolve()
    await vi.advanceTimersByTimeAsync(LEFT_MS_MAX)
    await failed

    expect(leavers).toEqual(counted)
  },
)

function failed(kind: FailureKind): () => Promise<never> {
  return () => Promise.reject(new ProviderError('unavailable', 'It is away', { failure: { kind } }))
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}
