import { describe, expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/texts/texts.ts'
import type { ChatMessage } from '../../../../src/contract/chat.ts'
import { estimatePromptTokens, estimateTokens } from '../../../../src/contract/token-estimate.ts'
import { createDemoChatProvider } from '../../../../src/service/providers/demo/chat.ts'
import type { ChatProvider } from '../../../../src/service/providers/provider.ts'
import { collectEvents } from '../collect-events.ts'

const UNABORTED = new AbortController().signal
const provider = createDemoChatProvider({ delayMs: 0 })

const PARTS = {
  table: /^\| :?-+:? \|/m,
  steps: /^2\. /m,
  formula: /^\$\$.+\$\$$/m,
  code: /^```\w+\n[^`]+\n```$/m,
  tasks: /^- \[[ x]\] /m,
  quote: /^> /m,
}

describe('createDemoChatProvider()', () => {
  test.each([
    ['en', ['inflation', 'table', 'formula', 'code']],
    ['en', ['weekend', 'table', 'steps', 'tasks']],
    ['en', ['reply to a complaint', 'table', 'steps', 'quote']],
    ['ru', ['инфляцию', 'table', 'formula', 'code']],
    ['ru', ['план выходных', 'table', 'steps', 'tasks']],
    ['ru', ['ответ на жалобу', 'table', 'steps', 'quote']],
  ] as const)(
    'an example below the greeting has a written answer, %s: %s',
    async (language, [words, ...parts]) => {
      const examples = [1, 2, 3].map((number) => createTexts().t(language, `example-${number}`))
      const example = examples.find((question) => question.includes(words)) ?? ''

      const { text } = await answer(provider, user(example))
      const { text: same } = await answer(provider, user(`  ${example.toUpperCase()}?`))

      for (const part of parts) expect(text).toMatch(PARTS[part])
      expect(text).toMatch(language === 'ru' ? /написан заранее/ : /Written in advance/)
      expect(same).toBe(text)
    },
  )

  test.each([
    ['en', 'Tell me about foxes', 'I’m a **demo model**'],
    ['ru', 'Расскажи про Node.js', 'Я **демонстрационная модель**'],
  ])(
    'to anything else it says in %s that it is a demo, how to go on, and which questions have an answer',
    async (language, question, intro) => {
      const { text } = await answer(provider, user(question))

      expect(text).toContain(intro)
      expect(text).toContain('OPENAI_API_KEY=sk-… BOT_TOKEN=… npm start')
      expect(text).toContain('npm run setup')
      const examples = [1, 2, 3].map((number) => createTexts().t(language, `example-${number}`))
      expect(text.match(/^- .+/gm)).toEqual(examples.map((example) => `- ${example}`))
      expect(text.length).toBeLessThan(500)
    },
  )

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
    ['write 999999 chars', 100_000],
  ])('writes about as much as asked for, in numbered parts: %s', async (wish, chars) => {
    const { text } = await answer(provider, user(wish))

    const numbers = Array.from(text.matchAll(/^### \p{L}+ (\d+)$/gmu), ([, number]) =>
      Number(number),
    )
    expect(text.length).toBeLessThanOrEqual(chars)
    expect(text.length).toBeGreaterThan(chars - 500)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(numbers.length).toBeGreaterThan(30)
  })

  test('stops at max_tokens', async () => {
    const maxTokens = 7
    const { events, text } = await answer(provider, user('привет'), maxTokens)

    expect(estimateTokens(text)).toBe(maxTokens)
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'length',
      usage: { completionTokens: maxTokens },
    })
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
