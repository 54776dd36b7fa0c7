import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startOpenAiServer } from '../../service/providers/openai-server.ts'
import { type Kopeck, startKopeck } from '../../support/kopeck.ts'
import { openTelegram, type Telegram } from '../../support/telegram-user.ts'

/** What a provider sends for one question, and what its user reads and pays. */
interface Shape {
  name: string
  /** Data of the events; a whole JSON answer if `isJson`. */
  sends: (object | string)[]
  isJson?: boolean
  reads: RegExp
  /** Roubles, at 0.001 a token; undefined if the estimate stays charged. */
  pays?: number
  ends?: 'resets'
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const PAYS = 0.015
const END = chunk({}, 'stop', { usage: USAGE })

function chunk(delta: object, finish: string | null = null, more: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: finish, ...more }] }
}

function text(content: unknown): object {
  return chunk({ content })
}

function says(content: string, usage: object, finish = 'stop'): (object | string)[] {
  return [text(content), { ...chunk({}, finish), usage }, '[DONE]']
}

const FAMILY = '👨‍👩‍👧‍👦'
const FAMILIES = Math.floor(16_000 / FAMILY.length)
const MARKDOWN = '````markdown\n# Title\n```bash\nls\n```\n````\nThat was it.'

const SHAPES: readonly Shape[] = [
  {
    name: 'content as a list of parts, thinking among them',
    sends: [
      text([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }]),
      text([{ type: 'text', text: 'Paris' }]),
      END,
      '[DONE]',
    ],
    reads: /^Paris$/,
    pays: PAYS,
  },
  {
    name: 'a whole JSON answer with a list of parts',
    isJson: true,
    sends: [
      {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: [{ type: 'text', text: 'Paris' }] },
            finish_reason: 'stop',
          },
        ],
        usage: USAGE,
      },
    ],
    reads: /^Paris$/,
    pays: PAYS,
  },
  {
    name: 'reasoning counted beside the completion',
    sends: says('ok', {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 5010,
      completion_tokens_details: { reasoning_tokens: 4000 },
    }),
    reads: /^ok$/,
    pays: 5.01,
  },
  {
    name: 'only reasoning counted',
    sends: says('ok', {
      prompt_tokens: 21,
      completion_tokens: 0,
      total_tokens: 81,
      completion_tokens_details: { reasoning_tokens: 60 },
    }),
    reads: /^ok$/,
    pays: 0.081,
  },
  {
    name: 'reasoning counted inside the completion',
    sends: says('ok', {
      prompt_tokens: 1000,
      completion_tokens: 4010,
      total_tokens: 5010,
      completion_tokens_details: { reasoning_tokens: 4000 },
    }),
    reads: /^ok$/,
    pays: 5.01,
  },
  {
    name: 'usage inside the last choice',
    sends: [
      text('ok'),
      chunk({}, 'stop', {
        usage: { prompt_tokens: 3000, completion_tokens: 500, total_tokens: 3500 },
      }),
      '[DONE]',
    ],
    reads: /^ok$/,
    pays: 3.5,
  },
  {
    name: 'a content filter before any text',
    sends: [
      { ...chunk({}, 'content_filter'), usage: { prompt_tokens: 9311, total_tokens: 9311 } },
      '[DONE]',
    ],
    reads: /filter/,
    pays: 9.311,
  },
  {
    name: 'cached input counted inside the prompt',
    sends: says('ok', {
      prompt_tokens: 9012,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 9000 },
    }),
    reads: /^ok$/,
    pays: 1.012,
  },
  {
    name: 'cached input counted beside the prompt',
    sends: says('ok', {
      prompt_tokens: 12,
      completion_tokens: 100,
      total_tokens: 9112,
      prompt_tokens_details: { cached_tokens: 9000 },
    }),
    reads: /^ok$/,
    pays: 1.012,
  },
  {
    name: 'a refusal as text of its own',
    sends: [chunk({ refusal: 'I cannot help with that.' }), END, '[DONE]'],
    reads: /^I cannot help with that\.\s+\(The model refused/,
    pays: PAYS,
  },
  {
    name: 'a filter after some text',
    sends: [text('Half of'), { ...chunk({}, 'SAFETY'), usage: USAGE }, '[DONE]'],
    reads: /^Half of.*filter/s,
    pays: PAYS,
  },
  {
    name: 'all tokens spent on thinking',
    sends: [
      chunk({ reasoning_content: 'Hm. ' }),
      {
        ...chunk({}, 'length'),
        usage: {
          prompt_tokens: 10,
          completion_tokens: 5,
          completion_tokens_details: { reasoning_tokens: 5 },
        },
      },
      '[DONE]',
    ],
    reads: /all (of )?its tokens/,
    pays: PAYS,
  },
  {
    name: 'an error object after half an answer',
    sends: [text('Half of'), { error: { message: 'overloaded', code: 529 } }],
    reads: /^Half of.*/s,
  },
  {
    name: 'a native finish reason of an error',
    sends: [text('Half of'), chunk({}, 'stop', { native_finish_reason: 'error' }), '[DONE]'],
    reads: /^Half of.*/s,
  },
  {
    name: 'an empty data line',
    sends: [text('o'), '', text('k'), END, '[DONE]'],
    reads: /^ok$/,
    pays: PAYS,
  },
  {
    name: 'thoughts in tags that are cut anywhere',
    sends: [
      text('<thi'),
      text('nk>Let me see</th'),
      text('ink>\n\nThe answer is 4.'),
      END,
      '[DONE]',
    ],
    reads: /^The answer is 4\.$/,
    pays: PAYS,
  },
  {
    name: 'a tag in the middle of a text',
    sends: says('Use the <think> tag like this: …', USAGE),
    reads: /^Use the <think> tag like this: …$/,
    pays: PAYS,
  },
  {
    name: 'only blanks',
    sends: says(' \n\n ', USAGE),
    reads: /empty/,
    pays: PAYS,
  },
  {
    name: 'prices in dollars',
    sends: says('5$/мес, 10$/год. Цены: 5$, 10$ и 15$.', USAGE),
    reads: /^5\$\/мес, 10\$\/год\. Цены: 5\$, 10\$ и 15\$\.$/,
    pays: PAYS,
  },
  {
    name: 'variables of a shell',
    sends: says('Add $HOME/bin:$PATH to it', USAGE),
    reads: /^Add \$HOME\/bin:\$PATH to it$/,
    pays: PAYS,
  },
  {
    name: 'a fence within a fence',
    sends: says(MARKDOWN, USAGE),
    reads: /# Title\n```bash\nls\n```\n+That was it\.$/,
    pays: PAYS,
  },
  {
    name: 'bold that ends in punctuation',
    sends: says('**Внимание:**текст', USAGE),
    reads: /^Внимание:текст$/,
    pays: PAYS,
  },
]

let telegram: Telegram
let kopeck: Kopeck
let dataDir: string
let upstream: Awaited<ReturnType<typeof startOpenAiServer>>
let database: ReturnType<typeof openTestDatabase>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-shapes-'))
  telegram = await openTelegram()
  upstream = await startOpenAiServer((response, { body }) => answer(response, body as Asked))
  const file = join(dataDir, 'service.json')
  await writeFile(file, JSON.stringify(configOf(upstream.baseUrl)))
  const DATABASE_URL = await createTestDatabase()
  database = openTestDatabase({ url: DATABASE_URL })
  kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL,
    DATA_DIR: dataDir,
    SERVICE_CONFIG: file,
  })
})

afterAll(async () => {
  await kopeck.stop()
  await database.close()
  await telegram.close()
  await upstream[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true })
})

test.each(SHAPES.map((shape, index) => [shape.name, shape, index] as const))(
  'a user reads the answer and pays the bill: %s',
  async (_, shape, index) => {
    const user = 1000 + index
    const asked = telegram.say(user, `shape ${index}`)

    await expect
      .poll(() => telegram.answers(user, asked).map((message) => message.text ?? ''))
      .toContainEqual(expect.stringMatching(shape.reads))
    const charges = () =>
      database.prisma.charge.findMany({
        where: { userId: BigInt(user) },
        select: { amountMicroRub: true, estimated: true },
      })
    await expect
      .poll(charges)
      .toEqual([
        shape.pays === undefined
          ? { amountMicroRub: expect.anything(), estimated: true }
          : { amountMicroRub: BigInt(Math.round(shape.pays * 1e6)), estimated: false },
      ])
  },
)

test('a stated maximum of tokens is adopted for all later questions', async () => {
  const first = telegram.say(900, 'maximum')
  await expect.poll(() => telegram.answers(900, first).map(({ text }) => text)).toContain('fits')
  const requests = upstream.requestCount()

  const second = telegram.say(900, 'maximum')

  await expect.poll(() => telegram.answers(900, second).map(({ text }) => text)).toContain('fits')
  expect(upstream.requestCount()).toBe(requests + 1)
})

test('a first message that exceeds the context of the model is refused with a sentence', async () => {
  const asked = telegram.say(901, 'context')

  await expect
    .poll(() => telegram.answers(901, asked).map(({ text }) => text ?? ''))
    .toContainEqual(expect.stringMatching(/longer than the model can read/))
})

test('no message of an answer begins inside a grapheme cluster', async () => {
  const asked = telegram.say(902, 'family')

  const sent = () =>
    telegram
      .answers(902, asked)
      .map(({ text = '' }) => text)
      .filter((text) => text.includes(FAMILY))
  await expect.poll(() => sent().join('').split(FAMILY).length - 1).toBe(FAMILIES)
  for (const text of sent()) expect(text.startsWith(FAMILY)).toBe(true)
})

interface Asked {
  messages: { role: string; content: string }[]
  max_tokens: number
}

/** Answers as the last question names it. */
function answer(response: ServerResponse, { messages, max_tokens }: Asked): unknown {
  const question = messages.at(-1)?.content ?? ''
  const refuse = (error: object) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  if (question.includes('maximum')) {
    const message = `max_tokens is too large: ${max_tokens}. This model supports at most 1024 completion tokens`
    return max_tokens > 1024 ? refuse({ message }) : send(response, says('fits', USAGE))
  }
  if (question.includes('context')) {
    const message = "This model's maximum context length is 8192 tokens."
    return refuse({ message, code: 'context_length_exceeded' })
  }
  if (question.includes('family')) {
    return send(response, says(FAMILY.repeat(FAMILIES), USAGE))
  }
  const shape = SHAPES[Number(/shape (\d+)/.exec(question)?.[1])]
  if (shape === undefined) throw new Error(`Cannot answer "${question}"`)
  if (!shape.isJson) return send(response, shape.sends)
  response.writeHead(200, { 'content-type': 'application/json' })
  return response.end(JSON.stringify(shape.sends[0]))
}

function send(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function configOf(baseUrl: string): object {
  return {
    chat: {
      models: [
        {
          id: 'alpha',
          family: 'A',
          context_tokens: 100_000,
          prompt_rub_per_1m: '1000',
          cached_prompt_rub_per_1m: '100',
          completion_rub_per_1m: '1000',
          default_max_tokens: 4096,
          provider: { type: 'openai', base_url: baseUrl, model: 'upstream' },
        },
      ],
    },
    generation: {},
  }
}
