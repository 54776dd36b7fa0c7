import { describe, expect, test } from 'vitest'
import { findOldestPart, judgeContext } from '../../../../src/bot/talk/conversation/context-size.ts'
import type { HistoryEntry } from '../../../../src/bot/talk/conversation/history.ts'
import { estimatePromptTokens } from '../../../../src/contract/token-estimate.ts'

describe('judgeContext()', () => {
  const need = { ownTokens: 100, maxTokens: 100, contextTokens: 1000 }

  test.each([
    [699, { type: 'fits' }],
    [700, { type: 'nearly_full', percent: 80 }],
    [900, { type: 'nearly_full', percent: 100 }],
    [901, { type: 'conversation_too_long' }],
  ])('a prompt of %d tokens', (promptTokens, fit) => {
    expect(judgeContext({ ...need, promptTokens })).toEqual(fit)
  })

  test('a message that alone is too long cannot be helped by leaving out others', () => {
    expect(judgeContext({ ...need, promptTokens: 2000, ownTokens: 901 })).toEqual({
      type: 'message_too_long',
    })
  })

  test('a model whose context is not known takes everything', () => {
    const unknown = { ...need, promptTokens: 10_000_000, contextTokens: undefined }
    expect(judgeContext(unknown)).toEqual({ type: 'fits' })
  })
})

describe('findOldestPart()', () => {
  const history = Array.from({ length: 11 }, (_, index) => turn(BigInt(index + 1))).flat()
  const all = estimatePromptTokens(history.map(({ message }) => message))

  test('leaves out whole turns, the oldest first, and some more for air', () => {
    const leftOut = find(all - 1)

    expect(leftOut).toEqual([1n, 2n, 3n])
  })

  test('leaves out more than half only where it must', () => {
    expect(find(Math.floor(all * 0.55))).toHaveLength(6)
    expect(find(Math.floor(all * 0.2)).length).toBeGreaterThan(8)
  })

  test('never leaves out the turn that is to be answered', () => {
    expect(find(1)).toEqual(Array.from({ length: 10 }, (_, index) => BigInt(index + 1)))
  })

  function find(tokensMax: number): bigint[] {
    return findOldestPart(history, { systemPrompt: undefined, tokensMax })
  }
})

function turn(turnId: bigint): HistoryEntry[] {
  const content = 'word '.repeat(100)
  return (['user', 'assistant'] as const)
    .slice(0, turnId === 11n ? 1 : 2)
    .map((role) => ({ turnId, message: { role, content }, isSummary: false }))
}
