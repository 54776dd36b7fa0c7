import type { ChatMessage } from '../../../contract/chat.ts'

/** The request for a summary with which the conversation can go on without its messages. */
export const SUMMARY_REQUEST: ChatMessage = {
  role: 'user',
  content: `Sum up this conversation so far. It will go on from your summary alone: nothing said before will be \
read again. Keep what later messages may rest on: who wants what, facts, names, numbers and dates, what was decided \
or agreed, code and wording that are still in use, how answers are wanted, what is still open. Leave out what is \
done with. Write in the language of the conversation, in at most 400 words, without an introduction.`,
}

/** The length of a summary, roughly: 300 words of Russian, or 400 of English. */
export const SUMMARY_TOKENS = 500

/** Writes a summary for later requests: an instruction instead of the messages that it sums up. */
export function toSummaryMessage(summary: string): ChatMessage {
  return {
    role: 'system',
    content: `The conversation until now, summed up; its messages are left out:\n\n${summary}`,
  }
}
