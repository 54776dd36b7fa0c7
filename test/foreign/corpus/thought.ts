import { ask, CODE, INVOICE, type Sample, schema, turn, WEATHER } from './parts.ts'

/** Ten requests to a model that thinks, each with what it thinks and says. */
export const THOUGHT: readonly (Sample & { thought: string; text: string })[] = [
  { name: 'a short thought', body: { messages: [ask('2+2?')] }, thought: 'Simple sum.', text: '4' },
  {
    name: 'a long thought',
    body: { messages: [ask('Prove it')] },
    thought: 'First, assume the contrary. '.repeat(120),
    text: 'Done.',
  },
  {
    name: 'a Russian thought',
    body: { messages: [ask('Сколько будет 17 × 23?')] },
    thought: 'Семнадцать на двадцать — триста сорок, и ещё на три — пятьдесят один. '.repeat(30),
    text: '391',
  },
  {
    name: 'a thought of code',
    body: { messages: [ask('Refactor')] },
    thought: CODE,
    text: 'export const value = 1',
  },
  {
    name: 'a thought of numbers',
    body: { messages: [ask('Primes?')] },
    thought: Array.from({ length: 300 }, (_, index) => 2 * index + 1).join(', '),
    text: '2, 3, 5',
  },
  {
    name: 'a low effort',
    body: { messages: [ask('Hi')], reasoning_effort: 'low' },
    thought: 'Greeting.',
    text: 'Hello!',
  },
  {
    name: 'a high effort',
    body: { messages: [ask('Plan a trip to Tver')], reasoning_effort: 'high' },
    thought: 'Consider trains, buses and cars. '.repeat(250),
    text: 'Take the train. '.repeat(40),
  },
  {
    name: 'a thought with tools',
    body: { messages: [ask('Weather?')], tools: [WEATHER] },
    thought: 'I should call the tool. '.repeat(20),
    text: 'Sunny.',
  },
  {
    name: 'thoughts in the history',
    body: {
      messages: [
        ask('Weather?'),
        ...turn('get_weather', { location: 'Tver' }, '-3', {
          reasoning_content: 'The user asks for the weather, so the tool is needed. '.repeat(40),
        }),
      ],
      tools: [WEATHER],
    },
    thought: 'It is cold. '.repeat(10),
    text: '−3 °C',
  },
  {
    name: 'a thought and a schema',
    body: { messages: [ask('Extract')], ...schema('invoice', INVOICE) },
    thought: 'Field by field. '.repeat(60),
    text: '{"total":1}',
  },
]
