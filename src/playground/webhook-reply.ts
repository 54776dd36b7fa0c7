import { parseParams } from './body.ts'
import { type Params, textOf } from './params.ts'
import type { WebhookAnswer } from './webhook-post.ts'

/** Carries out a method. Nobody sees what comes of it. */
export type WebhookReply = (method: string, params: Params) => Promise<unknown>

const REFUSED = /^(get.*|setwebhook|deletewebhook|close|logout)$/i

/** Carries out the method that an answer names, if it names one. */
export async function readReply(
  { contentType, body }: WebhookAnswer,
  run: WebhookReply,
): Promise<void> {
  let params: Params
  try {
    params = await parseParams({ contentType, body })
  } catch {
    return // An answer need not be a call, so it is no mistake either.
  }
  const method = textOf(params, 'method')
  if (method !== '' && !REFUSED.test(method)) await run(method, params)
}
