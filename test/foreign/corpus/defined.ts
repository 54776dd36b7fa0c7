import {
  AGENT,
  ask,
  CODE,
  COUNTRIES,
  FILES,
  flag,
  GITHUB,
  INVOICE,
  LOG,
  list,
  nested,
  number,
  object,
  oneOf,
  RUSSIAN,
  type Sample,
  schema,
  text,
  tool,
  turn,
  WEATHER,
} from './parts.ts'

/** Thirty requests with tools, with their results, or with a schema of the answer. */
export const DEFINED: readonly Sample[] = [
  { name: 'one tool', body: { messages: [ask("What's the weather in Paris?")], tools: [WEATHER] } },
  {
    name: 'one tool without fields',
    body: { messages: [ask('Time?')], tools: [tool('now', 'Current time', {})] },
  },
  {
    name: 'a name alone',
    body: { messages: [ask('Go')], tools: [{ type: 'function', function: { name: 'go' } }] },
  },
  { name: 'five file tools', body: { messages: [ask('Read README.md')], tools: FILES } },
  {
    name: 'a coding agent',
    body: {
      messages: [
        {
          role: 'system',
          content:
            'You are an expert coding assistant. You help users with coding tasks by reading files, executing commands, editing code, and writing new files. Be concise.',
        },
        ask('Fix the failing test in src/parse.ts'),
      ],
      tools: AGENT,
    },
  },
  {
    name: 'an agent after a command',
    body: {
      messages: [
        ask('Run the tests'),
        ...turn('bash', { command: 'npm test -- --run src/parse.test.ts', timeout: 120 }, CODE),
      ],
      tools: AGENT,
    },
  },
  {
    name: 'an agent that edits',
    body: {
      messages: [
        ask('Rename it'),
        ...turn(
          'edit_file',
          {
            path: 'src/a.ts',
            edits: [{ oldText: CODE.slice(0, 900), newText: CODE.slice(60, 960) }],
          },
          'ok',
        ),
      ],
      tools: AGENT,
    },
  },
  {
    name: 'a log as a result',
    body: {
      messages: [ask('What failed?'), ...turn('search_logs', { level: 'error' }, LOG)],
      tools: [tool('search_logs', 'Search logs', { level: oneOf('info', 'error') })],
    },
  },
  {
    name: 'Russian tools',
    body: { messages: [ask('Где мой заказ 2024-000117?')], tools: RUSSIAN },
  },
  {
    name: 'Russian tools, a result',
    body: {
      messages: [
        ask('Отмените заказ'),
        ...turn(
          'cancel_order',
          { order_id: '2024-000117', reason: 'Передумал, нашёл дешевле' },
          'Заказ отменён, 4 190 ₽ вернутся на карту до 1 декабря',
        ),
      ],
      tools: RUSSIAN,
    },
  },
  {
    name: 'Chinese tools',
    body: {
      messages: [ask('北京天气怎么样？')],
      tools: [
        tool('get_weather', '查询指定城市的当前天气情况，包括温度、湿度和风力', {
          city: text('城市名称，例如：北京'),
          unit: oneOf('celsius', 'fahrenheit'),
        }),
      ],
    },
  },
  { name: 'forty tools of GitHub', body: { messages: [ask('List open issues')], tools: GITHUB } },
  {
    name: 'a hundred and twenty tools',
    body: {
      messages: [ask('Hi')],
      tools: [1, 2, 3].flatMap((part) =>
        GITHUB.map((each) => ({
          ...each,
          function: { ...each.function, name: `${each.function.name}_${part}` },
        })),
      ),
    },
  },
  {
    name: 'terse tools',
    body: {
      messages: [ask('2+2')],
      tools: ['add', 'sub', 'mul', 'div'].map((name) =>
        tool(name, '', { a: number(), b: number() }),
      ),
    },
  },
  {
    name: 'wordy tools',
    body: {
      messages: [ask('Hi')],
      tools: [
        tool(
          'think',
          `Use the tool to think about something. ${'It will not obtain new information or change the database, but just append the thought to the log. '.repeat(20)}`,
          { thought: text('A thought to think about.') },
        ),
      ],
    },
  },
  {
    name: 'long enums',
    body: {
      messages: [ask('Ship it')],
      tools: [
        tool('ship', 'Ships a parcel', {
          country: oneOf(...COUNTRIES),
          service: oneOf('standard', 'express', 'overnight', 'pickup_point', 'freight'),
        }),
      ],
    },
  },
  {
    name: 'unions and defaults',
    body: {
      messages: [ask('Find')],
      tools: [
        tool('find', 'Finds rows', {
          filter: {
            anyOf: [
              text('SQL'),
              object({ field: text(), op: oneOf('=', '<', '>'), value: text() }),
            ],
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            default: 50,
            description: 'How many',
          },
          cursor: { type: ['string', 'null'], pattern: '^[A-Za-z0-9+/=]*$' },
        }),
      ],
    },
  },
  {
    name: 'a tool eight deep',
    body: { messages: [ask('Go')], tools: [tool('deep', 'Deep', { tree: nested(8) })] },
  },
  {
    name: 'parallel calls',
    body: {
      messages: [
        ask('Compare'),
        {
          role: 'assistant',
          content: null,
          tool_calls: COUNTRIES.slice(0, 12).map((city, index) => ({
            id: `c${index}`,
            type: 'function',
            function: { name: 'get_weather', arguments: JSON.stringify({ location: city }) },
          })),
        },
        ...COUNTRIES.slice(0, 12).map((_, index) => ({
          role: 'tool',
          tool_call_id: `c${index}`,
          content: `${index} °C`,
        })),
      ],
      tools: [WEATHER],
    },
  },
  {
    name: 'twenty turns',
    body: {
      messages: [
        ask('Explore'),
        ...Array.from({ length: 20 }, (_, index) =>
          turn('list_directory', { path: `src/part${index}` }, '[FILE] a.ts\n[FILE] b.ts\n[DIR] c'),
        ).flat(),
      ],
      tools: FILES,
    },
  },
  {
    name: 'numbers as a result',
    body: {
      messages: [
        ask('Sum'),
        ...turn(
          'sql',
          { query: 'SELECT * FROM t' },
          Array.from(
            { length: 80 },
            (_, row) => `${row},${row * 7919},${(row * 1.37).toFixed(2)}`,
          ).join('\n'),
        ),
      ],
      tools: [tool('sql', 'Runs SQL', { query: text() })],
    },
  },
  {
    name: 'hex as a result',
    body: {
      messages: [
        ask('Hashes'),
        ...turn(
          'hash',
          {},
          Array.from({ length: 30 }, (_, row) =>
            (BigInt(row + 3) ** 40n).toString(16).padStart(64, '0').slice(0, 64),
          ).join('\n'),
        ),
      ],
      tools: [tool('hash', 'Hashes', {})],
    },
  },
  {
    name: 'schema: a small answer',
    body: {
      messages: [ask('Is it spam? "Win now"')],
      ...schema('verdict', { is_spam: flag('Whether it is'), reason: text() }),
    },
  },
  {
    name: 'schema: an invoice',
    body: {
      messages: [ask('Extract: ООО «Ромашка», счёт 17 от 3 ноября, 12 000 ₽')],
      ...schema('invoice', INVOICE),
    },
  },
  {
    name: 'schema: Russian',
    body: {
      messages: [ask('Разбери отзыв: «Всё понравилось, но долго везли»')],
      ...schema('review', {
        тон: oneOf('хороший', 'плохой', 'смешанный'),
        о_чём: list(text('Предмет отзыва одним словом')),
        что_исправить: text('Совет магазину одним предложением'),
      }),
    },
  },
  {
    name: 'schema: countries',
    body: {
      messages: [ask('Which?')],
      ...schema('countries', { countries: list(oneOf(...COUNTRIES)) }),
    },
  },
  {
    name: 'schema: ten deep',
    body: { messages: [ask('Go')], ...schema('deep', { tree: nested(10) }) },
  },
  {
    name: 'schema: with definitions',
    body: {
      messages: [ask('Outline')],
      ...schema(
        'outline',
        { root: { $ref: '#/$defs/node' } },
        {
          $defs: {
            node: object({ title: text('Heading'), children: list({ $ref: '#/$defs/node' }) }),
          },
        },
      ),
    },
  },
  {
    name: 'schema: fifty fields',
    body: {
      messages: [ask('Fill in')],
      ...schema(
        'form',
        Object.fromEntries(
          Array.from({ length: 50 }, (_, index) => [
            `field_${index}`,
            text(`Value number ${index} of the form`),
          ]),
        ),
      ),
    },
  },
  {
    name: 'tools and a schema',
    body: {
      messages: [ask('Find it and tell')],
      tools: FILES,
      ...schema('found', { path: text(), line: number() }),
    },
  },
]
