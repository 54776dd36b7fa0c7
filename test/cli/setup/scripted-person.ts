import { CancelledError, type Conversation } from '../../../src/cli/setup/terminal.ts'

/** A person who gives these answers, one to each question, and presses Ctrl-C after the last of them. */
export function createPerson(answers: readonly string[]) {
  const stopping = new AbortController()
  const left = [...answers]
  const shown: string[] = []
  const questions: string[] = []
  const answer = async (question: string): Promise<string> => {
    stopping.signal.throwIfAborted()
    shown.push(question)
    questions.push(question)
    const next = left.shift()
    if (next !== undefined) return next
    stopping.abort(new CancelledError())
    throw stopping.signal.reason
  }
  const conversation: Conversation = {
    say: (text) => void shown.push(text),
    ask: answer,
    askSecret: answer,
  }
  return {
    conversation,
    signal: stopping.signal,
    shown: () => shown.join('\n'),
    questions: () => questions,
    left: () => left,
  }
}
