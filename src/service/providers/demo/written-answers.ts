import { readdirSync, readFileSync } from 'node:fs'

/** Its files are `NUMBER-NAME.LANGUAGE.md`: the question is the heading, and the answer stands below it. */
const FOLDER = new URL('./written/', import.meta.url)
const HEADING = '# '

/** Reads the answers that were written in advance, and the questions that they answer, in the order of their numbers. */
export function readWrittenAnswers() {
  const questions: Record<'en' | 'ru', string[]> = { en: [], ru: [] }
  const answers = new Map<string, string>()
  for (const name of readdirSync(FOLDER).sort()) {
    const [heading = '', ...answer] = readFileSync(new URL(name, FOLDER), 'utf8').split('\n')
    const question = heading.slice(HEADING.length)
    questions[name.endsWith('.ru.md') ? 'ru' : 'en'].push(question)
    answers.set(toKey(question), answer.join('\n').trim())
  }
  return { questions, find }

  function find(question: string): string | undefined {
    return answers.get(toKey(question))
  }
}

function toKey(question: string): string {
  return question
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}
