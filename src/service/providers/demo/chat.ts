/** The demo's chat. The files `NUMBER-NAME.LANGUAGE.md` of this folder answer the questions of the bot's greeting. */
import { readdirSync, readFileSync } from 'node:fs'
import type { PromptMessage } from '../../../contract/openai.ts'
import {
  cutToTokens,
  estimatePromptTokens,
  estimateTokens,
} from '../../../contract/token-estimate.ts'
import { writeCommand } from '../../../platform/installation.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import type { ChatProvider, ProviderChatRequest, ProviderFinish, TakePieces } from '../provider.ts'

const WORD_DELAY_MS = 30
const LONG_ANSWER_CHARS_MAX = 100_000
/** How much of a message is read: enough to know a question, its language and a wish about the length. */
const MESSAGE_CHARS_READ_MAX = 2000

// One bounded run of digits, with spaces or commas between thousands, before the word for characters.
const LENGTH_WISH = /(\d(?:[ ,_]?\d){0,6})\s?(?:characters|chars|символ|знак)/iu

const WORDINGS = {
  en: {
    other: 'Any other question',
    part: (number: number) =>
      `### Part ${number}\n\nThis paragraph is here to make the answer long. Parts are numbered, so that a missing or repeated one is seen at once: this is part ${number}, and part ${number + 1} would follow it.`,
    end: '*The end of the long answer.*',
  },
  ru: {
    other: 'Любой другой вопрос',
    part: (number: number) =>
      `### Часть ${number}\n\nЭтот абзац нужен, чтобы ответ был длинным. Части пронумерованы, поэтому пропавшая или повторённая видна сразу: это часть ${number}, за ней шла бы часть ${number + 1}.`,
    end: '*Конец длинного ответа.*',
  },
}

/** Answers word by word. Of the parameters it knows `stop`. The usage is what the estimator counts. */
export function createDemoChatProvider({
  delayMs = WORD_DELAY_MS,
  clock = systemClock,
}: {
  delayMs?: number
  clock?: Pick<Clock, 'sleep'>
} = {}): ChatProvider {
  const answers = readAnswers()
  return { answer }

  async function answer(
    { messages, maxTokens, parameters }: ProviderChatRequest,
    signal: AbortSignal,
    take: TakePieces,
  ): Promise<ProviderFinish> {
    signal.throwIfAborted()
    const whole = endBefore(compose(messages, answers), [parameters?.stop ?? []].flat())
    const answer = cutToTokens(whole, maxTokens)
    for (const [word] of answer.matchAll(/\s*\S+|\s+$/gu)) {
      if (delayMs > 0) await clock.sleep(delayMs, signal)
      signal.throwIfAborted()
      await take([{ text: word }])
    }
    return {
      finishReason: answer === whole ? 'stop' : 'length',
      usage: {
        promptTokens: estimatePromptTokens(messages),
        completionTokens: estimateTokens(answer),
      },
    }
  }
}

function readAnswers(): ReadonlyMap<string, string> {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md'))
  return new Map(
    names.map((name) => {
      const text = readFileSync(new URL(name, import.meta.url), 'utf8')
      const [question = '', ...answer] = text.split('\n')
      return [toKey(question), answer.join('\n').trim()]
    }),
  )
}

function toKey(question: string): string {
  return question
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}

function compose(messages: readonly PromptMessage[], answers: ReadonlyMap<string, string>): string {
  const prompts = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (content ?? '').slice(0, MESSAGE_CHARS_READ_MAX))
  const asked = prompts.at(-1) ?? ''
  const { other: heading, part, end } = WORDINGS[languageOf(prompts)]
  const other = (answers.get(toKey(heading)) ?? '')
    .replace('{start}', writeCommand('start'))
    .replace('{setup}', writeCommand('setup'))
  const [intro = ''] = other.split('\n', 1)
  const parts = listParts(part, findLengthWish(asked) - intro.length - end.length - 2)
  const long = parts.length === 0 ? undefined : [intro, ...parts, end].join('\n\n')
  return answers.get(toKey(asked)) ?? long ?? other
}

function languageOf(prompts: readonly string[]): keyof typeof WORDINGS {
  const words = prompts.findLast((prompt) => /\p{L}/u.test(prompt)) ?? ''
  const cyrillic = words.match(/\p{Script=Cyrillic}/gu)?.length ?? 0
  const latin = words.match(/\p{Script=Latin}/gu)?.length ?? 0
  return cyrillic > latin ? 'ru' : 'en'
}

function findLengthWish(text: string): number {
  const digits = LENGTH_WISH.exec(text)?.[1]?.replace(/\D/g, '') ?? '0'
  return Math.min(Number(digits), LONG_ANSWER_CHARS_MAX)
}

/** Lists as many parts, with an empty line before each, as there is room for. */
function listParts(write: (number: number) => string, charsMax: number): string[] {
  const parts: string[] = []
  let chars = 0
  for (;;) {
    const part = write(parts.length + 1)
    chars += part.length + 2
    if (chars > charsMax) return parts
    parts.push(part)
  }
}

function endBefore(answer: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => answer.indexOf(stop)).filter((index) => index >= 0)
  return answer.slice(0, Math.min(answer.length, ...ends))
}
