/** One request of the corpus, as a client sends it beside model and limit. */
export interface Sample {
  name: string
  body: object
}

interface Fields {
  [name: string]: object
}

export const text = (description?: string) => ({
  type: 'string',
  ...(description && { description }),
})
export const number = (description?: string) => ({
  type: 'number',
  ...(description && { description }),
})
export const flag = (description: string) => ({ type: 'boolean', description })
export const oneOf = (...values: string[]) => ({ type: 'string', enum: values })
export const list = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description && { description }),
})

export function object(properties: Fields, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

export function tool(
  name: string,
  description: string,
  properties: Fields,
  optional?: readonly string[],
) {
  return {
    type: 'function',
    function: { name, description, parameters: object(properties, optional) },
  }
}

export function schema(name: string, properties: Fields, more: object = {}) {
  const json_schema = { name, strict: true, schema: { ...object(properties), ...more } }
  return { response_format: { type: 'json_schema', json_schema } }
}

export const ask = (content: string) => ({ role: 'user', content })

/** The answer that called a tool, and its result. */
export function turn(name: string, given: object, result: string, more: object = {}) {
  const called = { name, arguments: JSON.stringify(given) }
  const id = `call_${name}`
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: called }],
      ...more,
    },
    { role: 'tool', tool_call_id: id, content: result },
  ]
}

export const WEATHER = tool(
  'get_weather',
  'Get the current weather in a given location',
  {
    location: text('The city and state, e.g. San Francisco, CA'),
    unit: oneOf('celsius', 'fahrenheit'),
  },
  ['unit'],
)

export const FILES = [
  tool(
    'read_file',
    'Read the complete contents of a file from the file system. Handles various text encodings and provides detailed error messages if the file cannot be read.',
    {
      path: text(),
      head: number('If provided, returns only the first N lines of the file'),
      tail: number('If provided, returns only the last N lines of the file'),
    },
    ['head', 'tail'],
  ),
  tool(
    'write_file',
    'Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning.',
    { path: text(), content: text() },
  ),
  tool(
    'edit_file',
    'Make line-based edits to a text file. Each edit replaces exact line sequences with new content. Returns a git-style diff showing the changes made.',
    {
      path: text(),
      edits: list(
        object({
          oldText: text('Text to search for - must match exactly'),
          newText: text('Text to replace with'),
        }),
      ),
      dryRun: flag('Preview changes using git-style diff format'),
    },
    ['dryRun'],
  ),
  tool(
    'list_directory',
    'Get a detailed listing of all files and directories in a specified path. Results clearly distinguish between files and directories with [FILE] and [DIR] prefixes.',
    { path: text() },
  ),
  tool(
    'search_files',
    'Recursively search for files and directories matching a pattern. Returns full paths to all matching items.',
    { path: text(), pattern: text(), excludePatterns: list(text()) },
    ['excludePatterns'],
  ),
]

export const AGENT = [
  tool(
    'bash',
    'Execute a bash command in the current working directory. Returns stdout and stderr. Output is truncated to last 2000 lines or 50KB (whichever is hit first). Optionally provide a timeout in seconds.',
    {
      command: text('Bash command to execute'),
      timeout: number('Timeout in seconds (optional, no default timeout)'),
    },
    ['timeout'],
  ),
  tool(
    'grep',
    'Search file contents using ripgrep. Supports full regex syntax, e.g. "log.*Error", "function\\s+\\w+". Filter files with the glob parameter (e.g. "*.js", "**/*.tsx").',
    {
      pattern: text('The regular expression pattern to search for'),
      path: text('File or directory to search in'),
      glob: text('Glob pattern to filter files'),
      output_mode: oneOf('content', 'files_with_matches', 'count'),
      '-i': flag('Case insensitive search'),
      '-n': flag('Show line numbers'),
    },
    ['path', 'glob', 'output_mode', '-i', '-n'],
  ),
  ...FILES,
]

export const RUSSIAN = [
  tool(
    'find_order',
    'Находит заказ покупателя по номеру и возвращает его состояние, сумму и дату доставки',
    {
      order_id: text('Номер заказа, например 2024-000117'),
      with_items: flag('Вернуть и состав заказа'),
    },
  ),
  tool(
    'cancel_order',
    'Отменяет заказ, если он ещё не передан в доставку. Деньги возвращаются на карту за три дня',
    { order_id: text('Номер заказа'), reason: text('Причина словами покупателя') },
  ),
  tool('change_address', 'Меняет адрес доставки', {
    order_id: text('Номер заказа'),
    city: text('Город'),
    street: text('Улица, дом и квартира'),
    comment: text('Пожелания курьеру: домофон, этаж, удобное время'),
  }),
]

export const GITHUB_NAMES = [
  'issue',
  'pull_request',
  'branch',
  'commit',
  'release',
  'label',
  'milestone',
  'comment',
  'review',
  'workflow_run',
]
export const GITHUB = GITHUB_NAMES.flatMap((name) =>
  ['list', 'get', 'create', 'update'].map((verb) =>
    tool(
      `${verb}_${name}`,
      `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${name.replace('_', ' ')} of a GitHub repository`,
      {
        owner: text('Repository owner (username or organization)'),
        repo: text('Repository name'),
        number: number(),
        page: number('Page number for pagination (min 1)'),
        perPage: number('Results per page for pagination (min 1, max 100)'),
      },
      ['number', 'page', 'perPage'],
    ),
  ),
)

export const INVOICE = {
  seller: object({ name: text(), inn: text(), address: text() }),
  buyer: object({ name: text(), inn: text(), address: text() }),
  number: text(),
  issued_on: text('ISO 8601 date'),
  lines: list(
    object({
      title: text(),
      quantity: number(),
      unit_price: number(),
      vat_percent: number(),
      total: number(),
    }),
  ),
  currency: oneOf('RUB', 'USD', 'EUR', 'CNY', 'KZT'),
  total: number(),
}

export const COUNTRIES = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
]

/** A schema so many objects deep. */
export function nested(depth: number): object {
  return depth === 0 ? text() : object({ [`level_${depth}`]: nested(depth - 1) })
}

export const LOG = JSON.stringify(
  Array.from({ length: 40 }, (_, index) => ({
    ts: `2026-11-28T08:${String(index).padStart(2, '0')}:07.123Z`,
    level: index % 7 === 0 ? 'error' : 'info',
    msg: `request ${index} done`,
    ms: index * 13,
  })),
)
export const CODE = Array.from(
  { length: 60 },
  (_, index) =>
    `export const value${index} = (input: number): number => input * ${index} + Math.floor(input / ${index + 1})`,
).join('\n')
