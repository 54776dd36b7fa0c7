import { describe, expect, test } from 'vitest'
import { priceTokens } from '../../../../src/service/ledger/price-tokens.ts'
import { AnswerReader } from '../../../../src/service/providers/openai/reader.ts'
import type { AnswerPiece } from '../../../../src/service/providers/provider.ts'
import { joinPieces } from '../../../../src/service/providers/provider.ts'

const PRICES = {
  prompt: 1_000_000_000n,
  cachedPrompt: 100_000_000n,
  completion: 1_000_000_000n,
}
const OVERLOADED = { kind: 'overloaded', isRejected: false }
const LONG = 'A text of more than twenty characters.'

const of = (delta: unknown, rest: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
})
const says = (content: unknown) => of({ content })
const ends = (finish_reason: string, rest: object = {}) => of({}, { finish_reason, ...rest })
const uses = (usage: object) => ({ choices: [], usage })
const whole = (message: unknown, rest: object = {}) => ({
  choices: [{ index: 0, message, finish_reason: 'stop', ...rest }],
})

/** Reads events or a whole completion until the provider states a failure. */
function read(...events: unknown[]) {
  const reader = new AnswerReader()
  const pieces: AnswerPiece[] = []
  let failure: unknown
  for (const event of events) {
    const found = reader.read(typeof event === 'string' ? event : JSON.stringify(event))
    if (found !== undefined && 'text' in found) pieces.push(found)
    else failure ??= found
  }
  const rest = reader.readEnd()
  if (rest !== undefined) pieces.push(rest)
  const { text, reasoning = '', toolCalls = [] } = joinPieces(pieces)
  const { usage, finishReason: end, hasAnswer } = reader
  return { text, reasoning, toolCalls, usage, end, hasAnswer, failure }
}

describe('the words of an answer', () => {
  const PARIS = { text: 'Paris', reasoning: '' }
  const THOUGHT = { text: 'Paris', reasoning: 'Hm.' }

  test.each<[string, unknown[], object]>([
    [
      'as parts, with a thought of parts',
      [
        says([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }]),
        says([{ type: 'text', text: 'Paris' }]),
      ],
      THOUGHT,
    ],
    ['as parts of a plain answer', [whole({ content: [{ type: 'text', text: 'Paris' }] })], PARIS],
    [
      'as parts of other kinds',
      [
        says([
          { type: 'output_text', text: { value: 'Pa' } },
          { type: 'image_url', image_url: { url: 'x' } },
          null,
          'ri',
          { text: 's' },
          { type: 'summary_text', text: 'Hm.' },
        ]),
      ],
      THOUGHT,
    ],
    ['as a part without a list', [says({ type: 'text', text: 'Paris' })], PARIS],
    ['as text of a choice', [{ choices: [{ text: 'Pa' }] }, { choices: [{ text: 'ris' }] }], PARIS],
    ['as messages of a stream', [whole({ content: 'Pa' }), whole({ content: 'ris' })], PARIS],
    ...['reasoning_content', 'reasoning', 'thinking', 'thought'].map(
      (name): [string, unknown[], object] => [
        `after ${name}`,
        [of({ [name]: 'Hm.', content: null }), says('Paris')],
        THOUGHT,
      ],
    ),
    [
      'after details of a thought, some of them encrypted, and the same beside them',
      [
        of({
          reasoning: 'H',
          reasoning_details: [{ type: 'reasoning.text', text: 'H' }],
        }),
        of({
          reasoning_details: [
            { type: 'reasoning.summary', summary: 'm.' },
            { type: 'reasoning.encrypted', data: 'x' },
          ],
        }),
        says('Paris'),
      ],
      THOUGHT,
    ],
    ['that refuse', [of({ refusal: 'I cannot.' })], { text: 'I cannot.', reasoning: '' }],
    [
      'that refuse, as a part',
      [whole({ content: [{ type: 'refusal', refusal: 'I cannot.' }] })],
      { text: 'I cannot.', reasoning: '' },
    ],
    [
      'of the first choice alone',
      [
        { choices: null },
        of({ role: 'assistant', content: '' }),
        { choices: [{ index: 1, delta: { content: 'no' } }] },
        { choices: [{ index: 1, delta: { content: 'no' } }, { delta: { content: 'Paris' } }] },
        { object: 'ping' },
      ],
      PARIS,
    ],
    [
      'that the last message repeats',
      [says('Par'), says('is'), whole({ content: 'Paris', reasoning_content: 'Hm.' })],
      THOUGHT,
    ],
    [
      'that every message repeats beside its delta',
      [
        of({ content: 'Par' }, { message: { content: 'Par' } }),
        of({ content: 'is' }, { message: { content: 'Paris' } }),
        of({ content: '' }, { message: { content: 'Paris' }, finish_reason: 'stop' }),
      ],
      PARIS,
    ],
    [
      'that the last delta repeats',
      [
        says(LONG.slice(0, 9)),
        says(LONG.slice(9)),
        of({ content: LONG }, { finish_reason: 'stop' }),
      ],
      { text: LONG },
    ],
    [
      'that are alike by chance',
      [says(LONG), says(LONG), says('ha'), of({ content: 'ha' }, { finish_reason: 'stop' })],
      { text: `${LONG}${LONG}haha` },
    ],
    ['of blanks', [says(' \n\n '), ends('stop')], { text: ' \n\n ' }],
  ])('%s', (_, events, words) => {
    expect(read(...events)).toMatchObject({ ...words, failure: undefined })
  })

  test('are no number', () => {
    expect(() => read(says(1))).toThrow(SyntaxError)
  })
})

describe('a thought in tags', () => {
  const ANSWER = { text: 'The answer is 4.', reasoning: 'Let me see' }

  test.each<[string, string, object]>([
    ['<think>', '<think>Let me see</think>\n\nThe answer is 4.', ANSWER],
    ['blanks and lines', '\ufeff\n<Think>\nLet me see\n</THINK>\n\nThe answer is 4.', ANSWER],
    ['<thinking>', '<thinking>Let me see</thinking>The answer is 4.', ANSWER],
    ['<thought>', ' <thought>Let me see</thought> The answer is 4.', ANSWER],
    ['two of them', '<think>Let me</think>\n<think> see</think>\nThe answer is 4.', {}],
    ['an empty one', '<think>\n\n</think>\n\nThe answer is 4.', { ...ANSWER, reasoning: '' }],
    [
      'one that never ends',
      '<think>Let me see </thin',
      { text: '', reasoning: 'Let me see </thin' },
    ],
    [
      'one that is only mentioned',
      'Use the <think> tag like this: …',
      {
        text: 'Use the <think> tag like this: …',
        reasoning: '',
      },
    ],
    ['the beginning of a tag', '<thi', { text: '<thi', reasoning: '' }],
    ['another tag', '  <b>bold</b>', { text: '  <b>bold</b>', reasoning: '' }],
  ])('(%s) is reasoning, wherever it is cut', (_, content, words) => {
    for (let cut = 0; cut <= content.length; cut += 1) {
      const pieces = [content.slice(0, cut), content.slice(cut)]
      expect(read(...pieces.map(says)), `cut at ${cut}`).toMatchObject(words)
    }
    expect(read(...[...content].map(says)), 'letter by letter').toMatchObject(words)
    expect(read(whole({ content })), 'plain').toMatchObject(words)
  })

  test('is handed on as it comes', () => {
    const reader = new AnswerReader()
    reader.read(JSON.stringify(says('<think>')))

    expect(reader.read(JSON.stringify(says('x'.repeat(5000))))).toMatchObject({
      reasoning: 'x'.repeat(5000),
    })
  })
})

describe('usage', () => {
  const counts = (prompt_tokens: unknown, completion_tokens: unknown, rest: object = {}) =>
    uses({ prompt_tokens, completion_tokens, ...rest })
  const thought = (reasoning_tokens: number) => ({
    completion_tokens_details: { reasoning_tokens },
  })
  const cached = (cached_tokens: number) => ({ prompt_tokens_details: { cached_tokens } })

  test.each<[string, unknown[], bigint | undefined, object?]>([
    [
      'counts reasoning beside the completion, as the total shows',
      [counts(1000, 10, { total_tokens: 5010, ...thought(4000) })],
      5_010_000n,
      { completionTokens: 4010, reasoningTokens: 4000 },
    ],
    [
      'counts reasoning alone',
      [counts(21, 0, { total_tokens: 81, reasoning_tokens: 60 })],
      81_000n,
    ],
    [
      'counts reasoning within the completion',
      [counts(1000, 4010, { total_tokens: 5010, ...thought(4000) })],
      5_010_000n,
      { reasoningTokens: 4000 },
    ],
    [
      'without a total has reasoning within the completion',
      [counts(10, 50, { reasoning_tokens: 40 })],
      60_000n,
    ],
    [
      'without a total has more reasoning than completion beside it',
      [counts(10, 50, { reasoning_tokens: 60 })],
      120_000n,
    ],
    [
      'counts thoughts in the total alone, as Gemini does',
      [counts(10, 5, { total_tokens: 75 })],
      75_000n,
      { completionTokens: 65, reasoningTokens: 60 },
    ],
    [
      'stands in the choice',
      [ends('stop', { usage: counts(3000, 500, { total_tokens: 3500 }).usage })],
      3_500_000n,
    ],
    ['stands in the delta', [of({ usage: counts(3, 4).usage }), ends('stop')], 7_000n],
    [
      'stands in Groq’s field',
      [{ ...ends('stop'), x_groq: { id: 'r', usage: counts(3, 4).usage } }],
      7_000n,
    ],
    [
      'has Google’s names',
      [
        {
          ...ends('stop'),
          usageMetadata: {
            promptTokenCount: 3,
            candidatesTokenCount: 4,
            thoughtsTokenCount: 5,
            totalTokenCount: 12,
          },
        },
      ],
      12_000n,
    ],
    ['has Ollama’s names', [{ ...ends('stop'), prompt_eval_count: 3, eval_count: 4 }], 7_000n],
    [
      'has Anthropic’s names, and comes in two parts',
      [
        uses({
          input_tokens: 100,
          cache_read_input_tokens: 50,
          cache_creation_input_tokens: 20,
          output_tokens: 1,
        }),
        uses({ output_tokens: 9 }),
      ],
      // 120 new, 50 cached, 9 written.
      134_000n,
      { promptTokens: 170, cachedTokens: 50, cacheWriteTokens: 20, completionTokens: 9 },
    ],
    [
      'has no completion',
      [ends('content_filter'), uses({ prompt_tokens: 9311, total_tokens: 9311 })],
      9_311_000n,
      { promptTokens: 9311, completionTokens: 0 },
    ],
    ['has cached input within the prompt', [counts(9012, 100, cached(9000))], 1_012_000n],
    [
      'has cached input beside the prompt, as the total shows',
      [counts(12, 100, { total_tokens: 9112, cached_tokens: 9000 })],
      1_012_000n,
      { promptTokens: 9012, cachedTokens: 9000 },
    ],
    [
      'has cached input and reasoning beside the sums',
      [counts(12, 40, { total_tokens: 9112, cached_tokens: 9000, reasoning_tokens: 60 })],
      1_012_000n,
    ],
    [
      'has DeepSeek’s hits and misses',
      [counts(undefined, 100, { prompt_cache_hit_tokens: 9000, prompt_cache_miss_tokens: 12 })],
      1_012_000n,
    ],
    [
      'of zero is zero, also cached',
      [counts(0, 0, { ...cached(0), prompt_cache_hit_tokens: 8 })],
      0n,
      { cachedTokens: 0 },
    ],
    ['is in quotes', [counts('3', '4', { total_tokens: '7' })], 7_000n],
    [
      'of every chunk is a running total: the last wins',
      [1, 5].map((count) => ({ ...says('a'), usage: counts(1, count).usage })),
      6_000n,
    ],
    [
      'of null later leaves what came before',
      [counts(1, 5), { ...ends('stop'), usage: null }],
      6_000n,
    ],
    ['without a count of the answer is missing', [uses({ prompt_tokens: 3 })], undefined],
    ['that never comes is missing', [ends('stop')], undefined],
  ])('%s', (_, events, costMicroRub, usage) => {
    const answer = read(...events)

    expect(answer.usage && priceTokens(PRICES, answer.usage)).toBe(costMicroRub)
    if (usage !== undefined) expect(answer.usage).toMatchObject(usage)
  })

  test.each([
    ['-1', -1],
    ['1.5', 1.5],
    ['1e18', 1e18],
    ['1e400', Infinity],
    ['true', Number.NaN],
    ['"many"', Number.NaN],
  ])('of %s tokens is handed on as it is, for its judge', (count, completionTokens) => {
    const usage = `{"prompt_tokens":11,"completion_tokens":${count},"reasoning_tokens":4000}`

    expect(read(`{"choices":[],"usage":${usage}}`).usage).toMatchObject({
      promptTokens: 11,
      completionTokens,
    })
  })

  test.each<[string, object, number | undefined]>([
    ['cost', { cost: 0.25 }, 0.25],
    ['a cost in quotes', { cost: '0.25' }, 0.25],
    ['total_cost', { total_cost: 0.25 }, 0.25],
    ['Perplexity’s costs', { cost: { input_tokens_cost: 0.05, total_cost: 0.25 } }, 0.25],
    ['xAI’s ticks', { cost_in_usd_ticks: 2_500_000_000 }, 0.25],
    [
      'the upstream’s share once',
      { cost: 0.25, cost_details: { upstream_inference_cost: 0.25 }, is_byok: false },
      0.25,
    ],
    [
      'a fee and the bill of one’s own key',
      { cost: 0.05, cost_details: { upstream_inference_cost: 0.2 }, is_byok: true },
      0.25,
    ],
    ['a cost of nothing', { cost: 0 }, 0],
    ['a cost of words', { cost: 'free' }, Number.NaN],
    ['a cost below zero', { cost: -1 }, -1],
    ['no cost', {}, undefined],
  ])('reports %s', (_, cost, usd) => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, ...cost }

    expect(read(uses(usage)).usage?.reportedCostUsd).toBe(usd)
  })
})

describe('the end', () => {
  test.each([
    [
      'content_filter',
      'SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST SPII IMAGE_SAFETY content_filter content-filter sensitive refusal guardrail_intervened',
    ],
    [
      'length',
      'MAX_TOKENS max_tokens length model_length max_output_tokens FINISH_REASON_MAX_TOKENS',
    ],
    [
      'stop',
      'stop STOP end_turn eos eos_token stop_sequence complete COMPLETE FINISH_REASON_STOP completed why_not',
    ],
    ['tool_calls', 'tool_calls function_call tool_use'],
  ])('is %s in the words of all providers', (end, words) => {
    for (const word of words.split(' ')) {
      expect(read(says('a'), ends(word)), word).toMatchObject({ end })
    }
  })

  test('by a filter may stand in the native reason alone', () => {
    expect(read(ends('stop', { native_finish_reason: 'SAFETY' })).end).toBe('content_filter')
  })

  test('without a reason needs text or a call', () => {
    expect(read(of({ role: 'assistant' })).hasAnswer).toBe(false)
    expect(read(of({ reasoning: 'Hm.' })).hasAnswer).toBe(false)
    expect(read(says('a')).hasAnswer).toBe(true)
  })
})

describe('an error within a success', () => {
  test.each<[string, unknown, object]>([
    ['an object', { error: { message: 'overloaded', code: 529 } }, OVERLOADED],
    ['an object beside choices', { ...ends('error'), error: { code: 502 } }, OVERLOADED],
    ['nothing but an object', { error: {} }, OVERLOADED],
    ['a text', { error: 'overloaded' }, OVERLOADED],
    ['in the choice', of({}, { error: { code: 429 } }), { kind: 'rate_limited' }],
    ['the reason', ends('error'), OVERLOADED],
    ['the reason abort', ends('abort'), OVERLOADED],
    [
      'a native reason',
      ends('stop', { native_finish_reason: 'MALFORMED_FUNCTION_CALL' }),
      OVERLOADED,
    ],
    ['a native reason alone', of({}, { native_finish_reason: 'error' }), OVERLOADED],
    ['Anthropic’s', { type: 'error', error: { type: 'overloaded_error' } }, OVERLOADED],
    ['the type alone', { type: 'error', message: 'no' }, OVERLOADED],
    [
      'vLLM’s',
      { object: 'error', message: 'no', code: 400 },
      { kind: 'refused', isRejected: true },
    ],
    ['Google’s list', [{ error: { code: 503, status: 'UNAVAILABLE' } }], OVERLOADED],
    ['Google’s status', { error: { status: 'RESOURCE_EXHAUSTED' } }, { kind: 'rate_limited' }],
    ['a detail', { detail: 'Internal error' }, OVERLOADED],
    ['a message and a code', { message: 'no', code: 429 }, { kind: 'rate_limited' }],
    [
      'MiniMax’s',
      { choices: null, base_resp: { status_code: 1000, status_msg: 'no' } },
      OVERLOADED,
    ],
    ['about the request', { error: { type: 'invalid_request_error' } }, { isRejected: true }],
    ['about our money', { error: { code: 'insufficient_quota' } }, { kind: 'unauthorized' }],
  ])('is found: %s', (_, event, failure) => {
    expect(read(says('half an answer'), event).failure).toMatchObject(failure)
  })

  test('is not seen in fields that are empty', () => {
    const event = {
      ...says('a'),
      error: null,
      message: '',
      detail: null,
      base_resp: { status_code: 0 },
    }

    expect(read(event)).toMatchObject({ text: 'a', failure: undefined })
  })

  test('may be no JSON in an event of that name', () => {
    expect(new AnswerReader().read('overloaded', true)).toEqual(OVERLOADED)
  })
})

describe('calls of tools', () => {
  const call = (fields: object, name = 'f') => ({
    type: 'function',
    function: { name, arguments: '{}' },
    ...fields,
  })

  test.each<[string, unknown[]]>([
    [
      'with indexes',
      [of({ tool_calls: [call({ index: 0, id: 'a' }), call({ index: 1, id: 'b' })] })],
    ],
    ['without them', [of({ tool_calls: [call({ id: 'a' }), call({ id: 'b' })] })]],
    [
      'with one index for all',
      [
        of({ tool_calls: [call({ index: 0, id: 'a' })] }),
        of({ tool_calls: [call({ index: 0, id: 'b' })] }),
      ],
    ],
    [
      'with arguments that are no text, and once more in the last message',
      [
        of({
          tool_calls: ['a', 'b'].map((id, index) => ({
            index,
            id,
            function: { name: 'f', arguments: {} },
          })),
        }),
        whole({ tool_calls: [call({ id: 'a' }), call({ id: 'b' })] }),
      ],
    ],
    [
      'with an index beyond all bounds',
      [of({ tool_calls: [call({ index: 0, id: 'a' }), call({ index: 2 ** 40, id: 'b' })] })],
    ],
  ])('are told apart %s', (_, events) => {
    expect(read(...events).toolCalls).toMatchObject([
      { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
      { index: 1, id: 'b', function: { name: 'f', arguments: '{}' } },
    ])
  })

  test('of the old kind are calls', () => {
    expect(read(of({ function_call: { name: 'f', arguments: '{}' } })).toolCalls).toMatchObject([
      { index: 0, function: { name: 'f', arguments: '{}' } },
    ])
  })
})
