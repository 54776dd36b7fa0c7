import type { OpenAiParameters } from './openai/chat-request.ts'
import type { PromptMessage } from './prompt-message.ts'

/** Weights are thousandths of a token, so that every sum is an integer. */
const WEIGHTS_PER_TOKEN = 1000

/**
 * Thousandths of a token in one code point of each class, from counts of a current tokenizer: English text 180 a
 * character, Russian 230, digits 330, Chinese 680, emoji 1060. Code (280) and JSON (380) are letters with signs
 * between them, which puts a sign at 600.
 */
const WEIGHT = {
  letterOrSpace: 180,
  digit: 330,
  sign: 600,
  accented: 400,
  cyrillic: 230,
  otherAlphabet: 600,
  ideograph: 700,
  emoji: 1060,
  rare: 3000,
} as const

/** The weight of each UTF-16 unit; surrogates are weighed in pairs. */
const UNIT_WEIGHTS = Uint16Array.from({ length: 0x10000 }, (_, unit) => weighCodePoint(unit))

/** The tokens of a message beside its text (its role and its separators), and of the answer's opening. */
const MESSAGE_TOKENS = 4
const ANSWER_TOKENS = 3

/**
 * What stands around all tools, around the schema of an answer, and around each definition. The templates of most open
 * models spend 87 tokens on how tools are called, and write them as JSON; OpenAI needs half of it all.
 */
const TOOLS_TOKENS = 90
const FORM_TOKENS = 12
const DEFINITION_TOKENS = 8

/** A hold is a quarter above the estimate: topping up a debt at settlement is worse than giving back. */
const HOLD_PERCENT = 125

/**
 * Tokens in a text, estimated in one pass over its code points; 10 MB take a few tens of milliseconds
 * with any content. A tokenizer would be exact and can be stalled for seconds by one hostile word.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(weighText(text) / WEIGHTS_PER_TOKEN)
}

/** Tokens of a whole request: every text, a constant for each message and one for the answer's opening. */
export function estimatePromptTokens(messages: readonly PromptMessage[]): number {
  let weight = 0
  let items = messages.length
  for (const message of messages) {
    const { content, name = '' } = message
    weight += weighText(content ?? '') + weighText(name)
    if (!('tool_calls' in message)) continue
    items += message.tool_calls.length
    weight += weighText(message.reasoning_content ?? '')
    for (const { function: called } of message.tool_calls) {
      weight += weighText(called.name) + weighText(called.arguments)
    }
  }
  return Math.ceil(weight / WEIGHTS_PER_TOKEN) + items * MESSAGE_TOKENS + ANSWER_TOKENS
}

/** Tokens of what a request defines beside its messages: its tools, and the schema of its answer. */
export function estimateDefinitionTokens({
  tools,
  response_format,
}: Pick<OpenAiParameters, 'tools' | 'response_format'>): number {
  const schema = response_format?.type === 'json_schema' ? [response_format.json_schema] : []
  const definitions = [...(tools ?? []).map((tool) => tool.function), ...schema]
  let tokens = (tools?.length ? TOOLS_TOKENS : 0) + (schema.length > 0 ? FORM_TOKENS : 0)
  for (const definition of definitions) {
    tokens += estimateTokens(JSON.stringify(definition)) + DEFINITION_TOKENS
  }
  return tokens
}

/** Tokens that `estimatePromptTokens()` has at least, by the length of the texts alone. */
export function leastPromptTokens(messages: readonly PromptMessage[]): number {
  let units = 0
  for (const message of messages) {
    units += message.content?.length ?? 0
    if (!('tool_calls' in message)) continue
    units += message.reasoning_content?.length ?? 0
    for (const { function: called } of message.tool_calls) units += called.arguments.length
  }
  // No class has less; a code point of two UTF-16 units has more than twice as much.
  return Math.floor((units * WEIGHT.letterOrSpace) / WEIGHTS_PER_TOKEN)
}

/** Prompt tokens to hold for before the provider has counted: the estimate with a safety factor. */
export function addHoldMargin(promptTokens: number): number {
  return Math.ceil((promptTokens * HOLD_PERCENT) / 100)
}

/**
 * How much of a text stays within a number of tokens.
 *
 * @returns The longest prefix whose estimate is at most `tokens`, never ending inside a code point.
 */
export function cutToTokens(text: string, tokens: number): string {
  const weightMax = tokens * WEIGHTS_PER_TOKEN
  let weight = 0
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0
    weight += weighCodePoint(codePoint)
    if (weight > weightMax) return text.slice(0, index)
    index += codePoint > 0xffff ? 2 : 1
  }
  return text
}

/** Weighs a text by one look-up a UTF-16 unit: three times as fast as asking for the class of each code point. */
function weighText(text: string): number {
  let weight = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xe000) {
      const codePoint = text.codePointAt(index) ?? 0
      weight += weighCodePoint(codePoint)
      if (codePoint > 0xffff) index += 1
    } else weight += UNIT_WEIGHTS[unit] ?? 0
  }
  return weight
}

function weighCodePoint(codePoint: number): number {
  if (codePoint < 0x80) return weighAscii(codePoint)
  if (codePoint < 0x370) return WEIGHT.accented
  if (codePoint >= 0x400 && codePoint < 0x530) return WEIGHT.cyrillic
  if (codePoint < 0x2e80) return WEIGHT.otherAlphabet // Signs such as — and … stand here too.
  if (codePoint < 0xd800) return WEIGHT.ideograph
  if (codePoint < 0xf900) return WEIGHT.rare // Lone surrogates, private use.
  if (codePoint < 0x10000) return WEIGHT.ideograph
  return codePoint >= 0x1f000 && codePoint < 0x1fb00 ? WEIGHT.emoji : WEIGHT.rare
}

function weighAscii(code: number): number {
  const lowerCase = code | 0x20
  if (lowerCase >= 0x61 && lowerCase <= 0x7a) return WEIGHT.letterOrSpace
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return WEIGHT.letterOrSpace
  if (code >= 0x30 && code <= 0x39) return WEIGHT.digit
  return WEIGHT.sign
}
