import { CancelledError, type Conversation } from '../../../src/cli/setup/conversation.ts'

/** Creates a person who gives one answer to each question and cancels after the last answer. */
export function createPerson(answers: readonly string[]) {
  const left = [...answers]
  const shown: string[] = []
  const questions: string[] = []
  const answer = async (question: string): Promise<string> => {
    shown.push(question)
    questions.push(question)
    const next = left.shift()
    if (next !== undefined) return next
    throw new CancelledError('Setup was cancelled')
  }
  const conversation: Conversation = {
    say: (text) => void shown.push(text),
    ask: answer,
    confirm: async (question, { initial }) => {
      const given = await answer(question)
      return given === '' ? initial : given === 'y'
    },
  }
  return {
    conversation,
    shown: () => shown.join('\n'),
    questions: () => questions,
    left: () => left,
  }
}
