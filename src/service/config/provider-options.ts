import type { Keys } from './service-config.ts'

const RUNWAY_URL = 'https://api.dev.runwayml.com'
const VOICE_DEFAULT = 'alloy'

// What each kind of provider is created with, by its part of a checked config and the config's keys.

/** The config of another service with this same interface. */
export function toRelayOptions(
  { base_url, api_key_env }: { base_url: string; api_key_env: string },
  keys: Keys,
) {
  return { baseUrl: base_url, apiKey: keys.get(api_key_env) ?? '' }
}

/** The config of Runway, at its own address unless another is named. */
export function toRunwayOptions(
  {
    base_url = RUNWAY_URL,
    api_key_env,
    model,
  }: { base_url?: string; api_key_env: string; model: string },
  keys: Keys,
) {
  return { baseUrl: base_url, apiKey: keys.get(api_key_env) ?? '', model }
}

/** The config of anything with OpenAI's interface, which may want no key. */
export function toOpenAiOptions(
  { base_url, api_key_env = '', model }: { base_url: string; api_key_env?: string; model: string },
  keys: Keys,
) {
  const apiKey = keys.get(api_key_env)
  return { baseUrl: base_url, model, ...(apiKey !== undefined && { apiKey }) }
}

/** The same for its speech. */
export function toOpenAiSpeechOptions(
  { voice = VOICE_DEFAULT, ...config }: Parameters<typeof toOpenAiOptions>[0] & { voice?: string },
  keys: Keys,
) {
  return { ...toOpenAiOptions(config, keys), voice }
}
