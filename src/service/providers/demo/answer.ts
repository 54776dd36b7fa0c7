import type { PromptMessage } from '../../../contract/openai.ts'
import { writeCommand } from '../../../platform/write-command.ts'
import { readWrittenAnswers } from './written-answers.ts'

const DEMO_ANSWER_CHARS_MAX = 100_000

/** How much of a message is read: enough to know a question, its language and a wish about the length. */
const MESSAGE_CHARS_READ_MAX = 2000

// One bounded run of digits, with spaces or commas between thousands, before the word for characters.
const LENGTH_WISH = /(\d(?:[ ,_]?\d){0,6})\s?(?:characters|chars|символ|знак)/iu

interface Wording {
  intro: string
  questions: string
  key: string
  setup: string
  section: (number: number) => string
  end: string
}

const WORDINGS: Readonly<Record<'en' | 'ru', Wording>> = {
  en: {
    intro:
      'I’m a **demo model**: no neural network stands behind me, so I can’t answer this myself.',
    questions: 'Three questions have an answer that was written in advance:',
    key: 'To get real answers, start the program again with a key of yours:',
    setup: `Or run \`${writeCommand('setup')}\`, which asks for everything step by step.`,
    section: (number) =>
      `### Part ${number}\n\nThis paragraph is here to make the answer long. Parts are numbered, so that a missing or repeated one is seen at once: this is part ${number}, and part ${number + 1} would follow it.`,
    end: '*The end of the long answer.*',
  },
  ru: {
    intro:
      'Я **демонстрационная модель**: нейросети за мной нет, поэтому ответить на это сам я не могу.',
    questions: 'На три вопроса ответ написан заранее:',
    key: 'Чтобы отвечала настоящая модель, запустите программу заново со своим ключом:',
    setup: `Или \`${writeCommand('setup')}\`: он спросит всё по шагам.`,
    section: (number) =>
      `### Часть ${number}\n\nЭтот абзац нужен, чтобы ответ был длинным. Части пронумерованы, поэтому пропавшая или повторённая видна сразу: это часть ${number}, за ней шла бы часть ${number + 1}.`,
    end: '*Конец длинного ответа.*',
  },
}

const COMMAND = `OPENAI_API_KEY=sk-… BOT_TOKEN=… ${writeCommand('start')}`

/**
 * Makes what writes the demo's whole answers, in Markdown, from the messages alone: the same ones give the same answer.
 * It reads the written ones once.
 */
export function createDemoAnswers(): (messages: readonly PromptMessage[]) => string {
  const written = readWrittenAnswers()
  return compose

  function compose(messages: readonly PromptMessage[]): string {
    const prompts = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => (content ?? '').slice(0, MESSAGE_CHARS_READ_MAX))
    const asked = prompts.at(-1) ?? ''
    const answer = written.find(asked)
    if (answer !== undefined) return answer
    const language = languageOf(prompts)
    const wording = WORDINGS[language]
    return (
      writeLong(findLengthWish(asked), wording) ?? writeShort(written.questions[language], wording)
    )
  }
}

function writeShort(
  questions: readonly string[],
  { intro, questions: heading, key, setup }: Wording,
): string {
  const list = questions.map((question) => `- ${question}`).join('\n')
  return [intro, `${heading}\n\n${list}`, `${key}\n\n\`\`\`sh\n${COMMAND}\n\`\`\``, setup].join(
    '\n\n',
  )
}

function findLengthWish(text: string): number {
  const digits = LENGTH_WISH.exec(text)?.[1]?.replace(/\D/g, '') ?? '0'
  return Math.min(Number(digits), DEMO_ANSWER_CHARS_MAX)
}

function writeLong(charsMax: number, { intro, section, end }: Wording): string | undefined {
  const parts = [intro]
  let chars = intro.length + end.length + 2
  for (let number = 1; ; number++) {
    const part = section(number)
    chars += part.length + 2
    if (chars > charsMax) break
    parts.push(part)
  }
  return parts.length === 1 ? undefined : [...parts, end].join('\n\n')
}

function languageOf(prompts: readonly string[]): 'en' | 'ru' {
  const words = prompts.findLast((prompt) => /\p{L}/u.test(prompt)) ?? ''
  const cyrillic = words.match(/\p{Script=Cyrillic}/gu)?.length ?? 0
  const latin = words.match(/\p{Script=Latin}/gu)?.length ?? 0
  return cyrillic > latin ? 'ru' : 'en'
}
