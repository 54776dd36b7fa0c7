import type { CompletionEvent } from '../../../contract/client/completion-stream.ts'

/** The way in which the reading of an answer ended. */
export type AnswerEnd =
  | Extract<CompletionEvent, { type: 'finish' }>
  | { type: 'failed'; error: unknown }

/**
 * Reads a completion as fast as it comes: nothing here waits for Telegram.
 *
 * @param onText Called with the whole text after each delta; it must not wait.
 */
export function readAnswer(events: AsyncIterable<CompletionEvent>, onText: (text: string) => void) {
  let text = ''
  return {
    /** Returns the text that has come so far. */
    text: () => text,
    ended: read(),
  }

  /** Never rejects. */
  async function read(): Promise<AnswerEnd> {
    try {
      for await (const event of events) {
        if (event.type === 'finish') return event
        // PostgreSQL's texts cannot hold a zero character, and a reader does not see it.
        text += event.text.replaceAll('\0', '')
        onText(text)
      }
      throw new Error('Cannot read answer: it has no end')
    } catch (error) {
      return { type: 'failed', error }
    }
  }
}
