import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { priceTokens } from '../../../../src/service/ledger/price-tokens.ts'

/** The price in roubles of 1 million tokens: a prompt is known by its number of tokens, which weighs little. */
const PROMPT_RUB = 1n
const COMPLETION_RUB = 600n
const MICRO_RUB = 1_000_000n

/** Prices so many tokens: what a model wrote, or what the service holds before it asks. */
export function priceOf(tokens: { promptTokens: number; completionTokens: number }): bigint {
  return priceTokens(
    {
      prompt: PROMPT_RUB * MICRO_RUB,
      completion: COMPLETION_RUB * MICRO_RUB,
    },
    tokens,
  )
}

/**
 * Writes the file that SERVICE_CONFIG names: everything is made by the test's own server.
 *
 * @returns The settings of processes that use it, and of bots that nothing holds back.
 */
export async function writeServiceConfig(
  folder: string,
  upstream: string,
): Promise<Record<string, string>> {
  const openai = { type: 'openai', base_url: `${upstream}/v1`, model: 'upstream' }
  const relay = { type: 'relay', base_url: `${upstream}/api/v1`, api_key_env: 'UPSTREAM_API_KEY' }
  const config = {
    chat: {
      models: [
        {
          id: 'alpha',
          family: 'A',
          context_tokens: 1_000_000,
          prompt_rub_per_1m: String(PROMPT_RUB),
          completion_rub_per_1m: String(COMPLETION_RUB),
          provider: openai,
        },
      ],
    },
    generation: {
      'videos/vidgen-generate': { prices_rub: { 'vidgen-720p-5s': '40' }, provider: relay },
      'images/imagegen-generate': { prices_rub: { imagegen: '5' }, provider: openai },
      'sounds/soundgen-generate': { prices_rub: { soundgen: '3' }, provider: { type: 'demo' } },
    },
  }
  const path = join(folder, 'service.json')
  await writeFile(path, JSON.stringify(config))
  return {
    SERVICE_CONFIG: path,
    MAX_TOKENS: '1000',
    SERVICE_LIMITS: '{"chat":100000,"video":100000,"image":100000,"sound":100000}',
    SEND_LIMITS:
      '{"private_per_second":20,"private_burst":20,"group_per_minute":1000,"overall_per_second":1000}',
    UPSTREAM_API_KEY: 'upstream-key',
  }
}
