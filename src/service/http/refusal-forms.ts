import { toOpenAiRefusal } from './openai/refusal.ts'
import { type RefusalWords, toText } from './refusal-words.ts'

/** How refusals are written: with a list of the fields, as one sentence, or in OpenAI's shape. */
export type RefusalForm = keyof typeof REFUSAL_FORMS

export const REFUSAL_FORMS = {
  fields: ({ statusCode, detail }: RefusalWords) => ({ statusCode, body: { detail } }),
  sentence: ({ statusCode, detail }: RefusalWords) => ({
    statusCode,
    body: { detail: toText(detail) },
  }),
  openai: toOpenAiRefusal,
}
