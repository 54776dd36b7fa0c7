import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../../../src/contract/chat.ts'
import { estimatePromptTokens, estimateTokens } from '../../../../src/contract/token-estimate.ts'
import { createDemoChatProvider } from '../../../../src/service/providers/demo/chat.ts'
import type { ChatProvider } from '../../../../src/service/providers/provider.ts'
import { collectEvents } from '../collect-events.ts'

const UNABORTED = new AbortController().signal
const provider = createDemoChatProvider({ delayMs: 0 })

describe('createDemoChatProvider()', () => {
  test('says that it is a demo, quotes the last message, counts the messages and shows formatting', async () => {
    const { text } = await answer(provider, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'Tell me\nabout foxes' },
    ])

    expect(text).toContain('**demo model**')
    expect(text).toContain('> Tell me about foxes\n')
    expect(text).toContain('4 messages')
    expect(text).toMatch(/^- /m)
    expect(text).toMatch(/```ts\n[^`]+\n```/)
  })

  test.each([
    [
      'a table of coins, and a formula',
      /^\| Coin \| Kopecks \|\n\| --- \| ---: \|\n\| rouble \| 100 \|$/m,
      true,
    ],
    ['таблицу монет и формулу', /^\| рубль \| 100 \|$/m, true],
    ['a vegetable', /^\| /m, false],
  ])('asked for %s, the answer has what is named', async (wish, table, isNamed) => {
    const { text } = await answer(provider, user(wish))

    expect(table.test(text)).toBe(isNamed)
    expect(/^\$\$\nc = \\frac/m.test(text)).toBe(isNamed)
  })

  test('answers a Russian message in Russian', async () => {
    const { text } = await answer(provider, user('Расскажи про Node.js'))

    expect(text).toContain('демонстрационная модель')
    expect(text).toContain('> Расскажи про Node.js')
  })

  test('yields non-empty words in order and one finish, with the usage of exactly that text', async () => {
    const messages = user('hello')

    const { events, text } = await answer(provider, messages)

    const deltas = events.slice(0, -1)
    expect(deltas.length).toBeGreaterThan(20)
    expect(deltas.every((event) => event.type === 'delta' && event.text !== '')).toBe(true)
    expect(events.at(-1)).toEqual({
      type: 'finish',
      finishReason: 'stop',
      usage: {
        promptTokens: estimatePromptTokens(messages),
        completionTokens: estimateTokens(text),
      },
    })
  })

  test.each([
    ['write 12000 characters about foxes', 12_000],
    ['напиши 12 000 символов о лисах', 12_000],
    ['write 999999 chars', 100_000],
  ])('writes about as much as asked for: %s', async (wish, chars) => {
    const { text } = await answer(provider, user(wish))

    expect(text.length).toBeLessThanOrEqual(chars)
    expect(text.length).toBeGreaterThan(chars - 500)
  })

  test('numbers the parts of a long answer without a gap', async () => {
    const { text } = await answer(provider, user('write 12000 characters'))

    const numbers = Array.from(text.matchAll(/^### Part (\d+)$/gm), ([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(30)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  test.each([1, 2, 7, 40])('stops at max_tokens: %i', async (maxTokens) => {
    const { events, text } = await answer(provider, user('привет'), maxTokens)

    expect(estimateTokens(text)).toBe(maxTokens)
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'length',
      usage: { completionTokens: maxTokens },
    })
  })

  test('waits between words, by the clock it was given', async () => {
    const waits: number[] = []
    const slow = createDemoChatProvider({
      delayMs: 30,
      clock: {
        async sleep(ms) {
          waits.push(ms)
        },
      },
    })

    const { events } = await answer(slow, user('hello'))

    expect(waits).toHaveLength(events.length - 1)
    expect(new Set(waits)).toEqual(new Set([30]))
  })

  test('throws the reason as soon as it is aborted, even in the middle of a wait', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    const answering = createDemoChatProvider({ delayMs: 3_600_000 }).stream(
      { messages: user('hello'), maxTokens: 100 },
      stop.signal,
      () => undefined,
    )

    stop.abort(reason)

    await expect(answering).rejects.toBe(reason)
  })

  test('answers a request without a message of the user', async () => {
    const { text } = await answer(provider, [{ role: 'system', content: 'Be brief.' }])

    expect(text).toContain('no message of yours')
  })

  test('quotes only the beginning of a long message, whole letters only', async () => {
    const { text } = await answer(provider, user('😀'.repeat(100_000)))

    expect(text).toContain(`> ${'😀'.repeat(300)}…\n`)
    expect(text.isWellFormed()).toBe(true)
  })
})

function user(content: string): ChatMessage[] {
  return [{ role: 'user', content }]
}

async function answer(chat: ChatProvider, messages: ChatMessage[], maxTokens = 1_000_000) {
  const events = await collectEvents(chat, { messages, maxTokens }, UNABORTED)
  const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('')
  return { events, text }
}
