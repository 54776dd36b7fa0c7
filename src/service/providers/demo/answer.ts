import type { ChatMessage } from '../../../contract/chat.ts'

/** Longest answer that can be asked for, in characters. */
const DEMO_ANSWER_CHARS_MAX = 100_000

/** How much of the last message is read: enough for a quote and for a wish about the length. */
const MESSAGE_CHARS_READ_MAX = 2000
const QUOTE_CHARS_MAX = 300

/** Further parts that an answer shows if the message names them. */
const WISHES = [
  { part: 'table', pattern: /\btables?\b|таблиц/iu },
  { part: 'formula', pattern: /\bformulas?\b|формул/iu },
] as const

// One bounded run of digits, with spaces or commas between thousands, before the word for characters.
const LENGTH_WISH = /(\d(?:[ ,_]?\d){0,6})\s?(?:characters|chars|символ|знак)/iu

interface Wording {
  intro: (messageCount: number) => string
  quote: string
  nothing: string
  shows: string
  list: string[]
  code: string
  table: string
  formula: string
  section: (number: number) => string
  end: string
}

const ENGLISH: Wording = {
  intro: (count) =>
    `This is the **demo model**: no neural network stands behind it. The request held ${count} ${count === 1 ? 'message' : 'messages'}.`,
  quote: 'Your last message was:',
  nothing: 'There was no message of yours in it.',
  shows: 'An answer may have:',
  list: ['**bold** and *italic* words', 'lists such as this one', '`code` in a line or in a block'],
  code: 'const answer: string = "demo"\nconsole.log(answer)',
  table: toTable('Coin', 'Kopecks', { rouble: 100, grivennik: 10, altyn: 3 }),
  formula: toFormula('What a reply costs:'),
  section: (number) =>
    `### Part ${number}\n\nThis paragraph is here to make the answer long. Parts are numbered, so that a missing or repeated one is seen at once: this is part ${number}, and part ${number + 1} would follow it.`,
  end: '*The end of the long answer.*',
}

const RUSSIAN: Wording = {
  intro: (count) =>
    `Это **демонстрационная модель**: нейросети за ней нет. Сообщений в запросе: ${count}.`,
  quote: 'Ваше последнее сообщение:',
  nothing: 'Вашего сообщения в нём не было.',
  shows: 'В ответе бывают:',
  list: [
    '**жирные** слова и *курсив*',
    'списки, такие как этот',
    '`код` в строке или отдельным блоком',
  ],
  code: 'const answer: string = "демо"\nconsole.log(answer)',
  table: toTable('Монета', 'Копеек', { рубль: 100, гривенник: 10, алтын: 3 }),
  formula: toFormula('Сколько стоит ответ:'),
  section: (number) =>
    `### Часть ${number}\n\nЭтот абзац нужен, чтобы ответ был длинным. Части пронумерованы, поэтому пропавшая или повторённая видна сразу: это часть ${number}, за ней шла бы часть ${number + 1}.`,
  end: '*Конец длинного ответа.*',
}

/** Writes the demo's whole answer, in Markdown, from the messages alone: the same ones give the same answer. */
export function composeDemoAnswer(messages: readonly ChatMessage[]): string {
  const asked =
    messages.findLast(({ role }) => role === 'user')?.content.slice(0, MESSAGE_CHARS_READ_MAX) ?? ''
  const wording = isRussian(asked) ? RUSSIAN : ENGLISH
  const quote = toQuote(asked)
  const answer = [
    wording.intro(messages.length),
    quote === '' ? wording.nothing : `${wording.quote}\n\n> ${quote}`,
    `${wording.shows}\n\n${wording.list.map((item) => `- ${item}`).join('\n')}`,
    `\`\`\`ts\n${wording.code}\n\`\`\``,
    ...WISHES.filter(({ pattern }) => pattern.test(asked)).map(({ part }) => wording[part]),
  ].join('\n\n')
  return lengthen(answer, findLengthWish(asked), wording)
}

function toTable(coin: string, kopecks: string, coins: Record<string, number>): string {
  const rows = Object.entries(coins).map(([name, worth]) => `| ${name} | ${worth} |`)
  return [`| ${coin} | ${kopecks} |`, '| --- | ---: |', ...rows].join('\n')
}

/** Prices and tokens of the prompt and of the completion. */
function toFormula(intro: string): string {
  return `${intro}\n\n$$\nc = \\frac{p_{in} \\cdot t_{in} + p_{out} \\cdot t_{out}}{10^{6}}\n$$`
}

/** How many characters the message asks for, bounded; 0 if it asks for none. */
function findLengthWish(text: string): number {
  const digits = LENGTH_WISH.exec(text)?.[1]?.replace(/\D/g, '') ?? '0'
  return Math.min(Number(digits), DEMO_ANSWER_CHARS_MAX)
}

/** Adds numbered parts while they fit into the length. */
function lengthen(answer: string, charsMax: number, wording: Wording): string {
  const parts = [answer]
  let chars = answer.length + wording.end.length + 2
  for (let number = 1; ; number++) {
    const part = wording.section(number)
    chars += part.length + 2
    if (chars > charsMax) break
    parts.push(part)
  }
  return parts.length === 1 ? answer : [...parts, wording.end].join('\n\n')
}

function isRussian(text: string): boolean {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return cyrillic > latin
}

/** Makes one line of a text, so that Markdown in it ends with the quote. */
function toQuote(text: string): string {
  const line = text.toWellFormed().replace(/\s+/gu, ' ').trim()
  const chars = Array.from(line)
  if (chars.length <= QUOTE_CHARS_MAX) return line
  return `${chars.slice(0, QUOTE_CHARS_MAX).join('').trimEnd()}…`
}
