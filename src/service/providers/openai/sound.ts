import type { SoundRequest } from '../../../contract/tasks.ts'
import type { Answer } from '../../../platform/http/exchange.ts'
import type { GenerationProvider, GenerationResult } from '../provider.ts'
import type { ProviderAccess } from '../provider-http.ts'
import { createOpenAiOperation } from './operation.ts'

const VOICE_DEFAULT = 'alloy'

/** The root of the API includes `/v1`; `/audio/speech` is added. */
export interface OpenAiSoundOptions extends ProviderAccess {
  model: string
  voice?: string | undefined
}

/**
 * Speaks the prompt by any service with OpenAI's `POST /audio/speech`, as MP3. Speech is as long as its
 * text: the request's `duration` has no say.
 */
export function createOpenAiSoundProvider({
  baseUrl,
  apiKey,
  proxies,
  model,
  voice = VOICE_DEFAULT,
}: OpenAiSoundOptions): GenerationProvider<SoundRequest> {
  return createOpenAiOperation<SoundRequest>({
    baseUrl,
    apiKey,
    proxies,
    path: 'audio/speech',
    toBody: ({ prompt }) => ({ model, input: prompt, voice, response_format: 'mp3' }),
    readResult,
  })
}

function readResult({ headers, body }: Answer): GenerationResult | undefined {
  const type = String(headers['content-type'] ?? '')
  if (body.length === 0 || /json|text|html/i.test(type)) return undefined
  return { type: 'bytes', bytes: body, contentType: 'audio/mpeg' }
}
