import type { ChatMessage } from '../../../contract/chat.ts'

/** What the model is asked so that the conversation can go on without what was said in it. */
export const SUMMARY_REQUEST: ChatMessage = {
  role: 'user',
  content: `Sum up this conversation so far. It will go on from your summary alone: nothing said before will be \
read again. Keep what later messages may rest on: who wants what, facts, names, numbers and dates, what was decided \
or agreed, code and wording that are still in use, how answers are wanted, what is still open. Leave out what is \
done with. Write in the language of the conversation, in at most 400 words, without an introduction.`,
}

/** What comes of it, roughly: 300 words of Russian, or 400 of English. */
export const SUMMARY_TOKENS = 500

/** How a summary stands in later requests: an instruction in the place of what it sums up. */
export function toSummaryMessage(summary: string): ChatMessage {
  return {
    role: 'system',
    content: `The conversation until now, summed up; its messages are left out:\n\n${summary}`,
  }
}
