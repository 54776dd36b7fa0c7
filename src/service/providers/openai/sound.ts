import type { SoundRequest } from '../../../contract/sound.ts'
import type { Answer } from '../../../http/exchange.ts'
import type { GenerationProvider, GenerationResult } from '../provider.ts'
import { createOpenAiOperation } from './operation.ts'

export interface OpenAiSoundOptions {
  /** Root of the API, `/v1` included; `/audio/speech` is added. */
  baseUrl: string
  apiKey?: string
  /** The model's name at the provider. */
  model: string
  voice: string
}

/**
 * Speaks the prompt by any service with OpenAI's `POST /audio/speech`, as MP3. Speech is as long as its
 * text: the request's `duration` has no say.
 */
export function createOpenAiSoundProvider({
  model,
  voice,
  ...options
}: OpenAiSoundOptions): GenerationProvider<SoundRequest> {
  return createOpenAiOperation<SoundRequest>({
    ...options,
    path: '/audio/speech',
    toBody: ({ prompt }) => ({ model, input: prompt, voice, response_format: 'mp3' }),
    readResult,
  })
}

function readResult({ headers, body }: Answer): GenerationResult | undefined {
  const type = String(headers['content-type'] ?? '')
  if (body.length === 0 || /json|text|html/i.test(type)) return undefined
  return { type: 'bytes', bytes: body, extension: 'mp3', contentType: 'audio/mpeg' }
}
