import { REFUSAL_FORMS } from './refusals.ts'

/** The paths that OpenAI has, as far as no path of the interface document begins alike. */
const OPENAI_PATH =
  /^\/(assistants|audio|batches|chat|completions|conversations|embeddings|files|fine_tuning|images\/(edits|generations|variations)|models|moderations|realtime|responses|threads|uploads|vector_stores)([/?]|$)/

/** The answer of each: the SDKs show nothing of an answer in another shape. */
export const { body: NO_OPENAI_PATH } = REFUSAL_FORMS.openai({
  statusCode: 404,
  detail: 'There is no such path: chats are POST /chat/completions, and models GET /models.',
  openAiCode: 'unknown_url',
})

/** Returns whether a path that is not there is one of those that OpenAI's clients ask for. */
export function isOpenAiPath(path: string): boolean {
  return OPENAI_PATH.test(path)
}
