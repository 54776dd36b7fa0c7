import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProviderFailure } from '../../../../src/service/providers/failure.ts'
import {
  createOpenAiChatProvider,
  type OpenAiChatOptions,
} from '../../../../src/service/providers/openai/chat.ts'
import { answerPlain, collectEvents } from '../collect-events.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  startOpenAiServer,
  usage,
} from '../openai-server.ts'
import { UNABORTED } from './chat-fixture.ts'

const ANSWERS = sends(delta('yes'), finish(), usage(20, 10), DONE)
const REQUEST = {
  messages: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'hello there' },
  ],
  maxTokens: 64,
  parameters: { temperature: 0.2 },
}

const ASKED = {
  model: 'm',
  messages: REQUEST.messages,
  max_tokens: 64,
  temperature: 0.2,
  stream: true,
  stream_options: { include_usage: true },
}

interface Body {
  messages: { role: string; content: string }[]
  [field: string]: unknown
}

const openAi = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
})
const vllm = (message: string) => ({ object: 'error', message, type: 'BadRequestError', code: 400 })
const mistral = (entry: object) => ({ object: 'error', message: { detail: [entry] }, code: null })
const forbidden = (field: string) => ({
  type: 'extra_forbidden',
  loc: ['body', field],
  msg: 'Extra inputs are not permitted',
  input: REQUEST.messages,
})

const wrong = (message: string) => ({ error: { message } })

const MAX_TOKENS = openAi(
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  'max_tokens',
  'unsupported_parameter',
)
const NO_SYSTEM = 'System role not supported'

type Part = 'max_tokens' | 'stream_options' | 'temperature' | 'system'

const NO_MAX_TOKENS = openAi("Unsupported parameter: 'max_tokens'", 'max_tokens')

const has = (part: Part) => (body: Body) =>
  part === 'system' ? body.messages.some(({ role }) => role === part) : part in body

/** The form of a request without a part that is refused. */
const FORMS: Record<Part, object> = {
  max_tokens: { max_tokens: undefined, max_completion_tokens: 64 },
  stream_options: { stream_options: undefined },
  temperature: { temperature: undefined },
  system: { messages: [{ role: 'user', content: 'Be brief.\n\nhello there' }] },
}

const REFUSALS: [Part, string, number, unknown][] = [
  ['max_tokens', 'OpenAI', 400, MAX_TOKENS],
  [
    'max_tokens',
    'a gateway that passes on OpenAI',
    400,
    {
      error: { message: 'Provider returned error', metadata: { raw: JSON.stringify(MAX_TOKENS) } },
    },
  ],
  [
    'stream_options',
    'Azure',
    400,
    openAi('Unrecognized request argument supplied: stream_options'),
  ],
  ['stream_options', 'Mistral', 422, mistral(forbidden('stream_options'))],
  [
    'stream_options',
    'vLLM',
    400,
    vllm(
      "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]",
    ),
  ],
  ['stream_options', 'Groq', 400, openAi("property 'stream_options' is unsupported")],
  [
    'temperature',
    'OpenAI',
    400,
    openAi(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
    ),
  ],
  ['temperature', 'FastAPI', 422, { detail: [forbidden('temperature')] }],
  [
    'system',
    'OpenAI',
    400,
    openAi(
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      'messages[0].role',
      'unsupported_value',
    ),
  ],
  ['system', 'vLLM', 400, vllm(NO_SYSTEM)],
  [
    'system',
    'Google, in a list',
    400,
    [{ error: { code: 400, message: 'Developer instruction is not enabled for models/gemma' } }],
  ],
  [
    'system',
    'DeepSeek',
    422,
    'Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `system`, expected `user` or `assistant` at line 1 column 30',
  ],
]

describe('an upstream that refuses', () => {
  test.each(REFUSALS)(
    '%s in the words of %s is asked again at once in another form, and so from then on',
    async (part, _whose, status, said) => {
      const form = FORMS[part]
      const { provider, asked } = await start(refusesIf(has(part), status, said))

      const events = await collectEvents(provider, REQUEST, UNABORTED)
      const tries = asked.length
      await collectEvents(provider, REQUEST, UNABORTED)

      expect(events).toMatchObject([{ text: 'yes' }, { type: 'finish' }])
      expect(asked[0]).toEqual(ASKED)
      expect(asked.slice(0, tries - 1).every(has(part))).toBe(true)
      expect(asked.slice(tries - 1)).toEqual([
        { ...ASKED, ...form },
        { ...ASKED, ...form },
      ])
    },
  )

  test('several things, one after the other, is asked until it takes the request', async () => {
    const { provider, asked } = await start(
      refusesAny(REFUSALS.filter(([, whose]) => whose === 'OpenAI')),
    )
    const refusals: ProviderFailure[] = []

    await collectEvents(provider, { ...REQUEST, onAdjusted: (it) => refusals.push(it) }, UNABORTED)
    await answerPlain(provider, REQUEST, UNABORTED)

    expect(asked.slice(3)).toMatchObject([
      { max_completion_tokens: 64, messages: [{ role: 'user' }], stream: true },
      { max_completion_tokens: 64, messages: [{ role: 'user' }], stream: false },
    ])
    expect(refusals).toMatchObject([
      { kind: 'refused', status: 400, explanation: expect.stringContaining('max_tokens') },
      { explanation: expect.stringContaining('temperature') },
      { explanation: expect.stringContaining('[0].role') },
    ])
  })
})

describe('what is refused as before:', () => {
  test.each<[string, number, unknown, Partial<OpenAiChatOptions>?]>([
    [
      'a value out of range',
      422,
      mistral({ loc: ['body', 'temperature'], msg: 'Input should be less than or equal to 1.5' }),
    ],
    ['another field', 400, openAi("Unrecognized request argument supplied: 'model'", 'model')],
    ['a prompt', 400, openAi('This prompt is not allowed.', 'messages', 'content_filter')],
    ['a wrong key, whatever it says', 401, NO_MAX_TOKENS],
    ['a limit whose name the operator gave', 400, NO_MAX_TOKENS, { outputLimit: 'max_tokens' }],
    [
      'a field that the operator gave',
      400,
      openAi("Unsupported value: 'temperature' does not support 1", 'temperature'),
      { body: { temperature: 1 } },
    ],
  ])('%s', async (_, status, said, options) => {
    const { provider, asked } = await start(
      refusesIf(() => true, status, said),
      options,
    )

    const stream = collectEvents(provider, REQUEST, UNABORTED)

    await expect(stream).rejects.toMatchObject({ failure: { status } })
    expect(asked).toHaveLength(1)
  })

  test('a request that is refused in every form, and the next is asked in the first one', async () => {
    const said = openAi("Unsupported parameter: 'stream_options'", 'stream_options')
    let isMended = false
    const { provider, asked } = await start((response, request) =>
      isMended ? ANSWERS(response, request) : refusal(400, said)(response, request),
    )

    await expect(collectEvents(provider, REQUEST, UNABORTED)).rejects.toMatchObject({
      code: 'rejected',
    })
    isMended = true
    await collectEvents(provider, REQUEST, UNABORTED)

    expect(asked.map((body) => 'stream_options' in body)).toEqual([true, false, true])
  })
})

describe('a stated maximum', () => {
  const long = { ...REQUEST, maxTokens: 4096 }
  const isAbove = (body: Body) => Number(body.max_tokens) > 1024

  test.each([
    'max_tokens is too large: 4096. This model supports at most 1024 completion tokens, whereas you provided 4096.',
    '`max_tokens` must be less than or equal to `1024`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    'max_tokens: 4096 > 1024, which is the maximum allowed number of output tokens for m-20241022',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 1,024]',
    'Range of max_tokens should be [1, 1024]',
    'it has a maxOutputTokens value of 4096 but the supported range is from 1 (inclusive) to 1025 (exclusive)',
    'max_tokens must be between 1 and 1024',
    'The maximum output tokens of this model is 1024, you asked for 4096 max_tokens',
    'max_tokens should be less than 1025',
  ])('in these words is adopted, and remembered: %s', async (message) => {
    const { provider, asked } = await start(refusesIf(isAbove, 400, { error: { message } }))

    await collectEvents(provider, long, UNABORTED)
    await answerPlain(provider, long, UNABORTED)
    await collectEvents(provider, REQUEST, UNABORTED)

    expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([4096, 1024, 1024, 64])
  })

  test('of what a prompt leaves is for its request alone', async () => {
    const message =
      "'max_tokens' is too large: 4096. This model's maximum context length is 2000 tokens and your request has 976 input tokens (4096 > 2000 - 976)."
    const { provider, asked } = await start(refusesIf(isAbove, 400, { error: { message } }))

    await collectEvents(provider, long, UNABORTED)
    await collectEvents(provider, long, UNABORTED)

    expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([4096, 1024, 4096, 1024])
  })

  test.each([0, 4096, 5000])('of %d for 4096 is ignored', async (max) => {
    const message = `max_tokens is too large: 4096. This model supports at most ${max} completion tokens`
    const { provider, asked } = await start(refuses(400, JSON.stringify({ error: { message } })))

    await expect(collectEvents(provider, long, UNABORTED)).rejects.toMatchObject({
      code: 'rejected',
      isTooLong: false,
    })
    expect(asked).toHaveLength(1)
  })
})

describe('a conversation that is too long', () => {
  test.each<[number, unknown]>([
    [
      400,
      openAi(
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
        'messages',
        'context_length_exceeded',
      ),
    ],
    [400, { error: { code: 'context_length_exceeded', message: 'No.' } }],
    [413, { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }],
    [413, '<html>Request Entity Too Large</html>'],
    [400, wrong('prompt is too long: 210000 tokens > 200000 maximum')],
    [
      400,
      wrong(
        'input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens`',
      ),
    ],
    [400, [wrong('The input token count (1200000) exceeds the maximum number of tokens')]],
    [
      400,
      {
        error:
          "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
      },
    ],
    [400, wrong('Your request exceeded model token limit: 8192')],
    [
      400,
      vllm('Prompt contains 9000 tokens, too large for model with 8192 maximum context length'),
    ],
    [422, { error: '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000' }],
    [400, wrong('Range of input length should be [1, 30720]')],
    [400, { error: { type: 'exceed_context_size_error', message: 'No.', code: 400 } }],
    [200, { error: { code: 'context_length_exceeded', message: 'No.' } }],
  ])('is known by %i %j', async (status, said) => {
    const { provider, asked } = await start(refusal(status, said))

    for (const asking of [
      collectEvents(provider, REQUEST, UNABORTED),
      answerPlain(provider, REQUEST, UNABORTED),
    ]) {
      await expect(asking).rejects.toMatchObject({ code: 'rejected', isTooLong: true })
    }
    expect(asked).toHaveLength(2)
  })

  test.each<[number, unknown]>([
    [400, openAi('This prompt is not allowed.', 'messages', 'content_filter')],
    [429, wrong('Too many tokens per minute')],
    [500, wrong('context_length_exceeded')],
  ])('is not what %i %j says', async (status, said) => {
    const { provider } = await start(refusal(status, said))

    await expect(collectEvents(provider, REQUEST, UNABORTED)).rejects.toMatchObject({
      isTooLong: false,
    })
  })
})

test('fields that the operator names are never sent', async () => {
  const { provider, asked } = await start(ANSWERS, { omit: ['temperature', 'stream_options'] })

  await collectEvents(provider, REQUEST, UNABORTED)

  const { temperature: _t, stream_options: _s, ...body } = ASKED
  expect(asked).toEqual([body])
})

async function start(responder: Responder, options: Partial<OpenAiChatOptions> = {}) {
  const asked: Body[] = []
  const server = await startOpenAiServer((response, request) => {
    asked.push(request.body as Body)
    return responder(response, request)
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', ...options })
  return { provider, asked }
}

function refusesIf(isRefused: (body: Body) => boolean, status: number, said: unknown): Responder {
  return (response, request) =>
    (isRefused(request.body as Body) ? refusal(status, said) : ANSWERS)(response, request)
}

function refusesAny(refusals: typeof REFUSALS): Responder {
  return (response, request) => {
    const found = refusals.find(([part]) => has(part)(request.body as Body))
    const responder = found === undefined ? ANSWERS : refusal(found[2], found[3])
    return responder(response, request)
  }
}

function refusal(status: number, said: unknown): Responder {
  return refuses(status, typeof said === 'string' ? said : JSON.stringify(said))
}
