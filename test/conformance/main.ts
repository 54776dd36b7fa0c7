/**
 * `npm run conformance -- URL KEY [CALLBACK_URL]`: runs the checks against any service of the interface.
 *
 * Prints the most that the run costs before it spends that. Exit status 1: a rule is broken.
 */
import { startVitest } from 'vitest/node'
import { type ModelInfo, readModels } from '../../src/contract/client/read-answers.ts'
import { formatRub } from '../../src/contract/money.ts'
import { parseJson } from '../../src/platform/http/json.ts'
import { RUN_MAX } from './service.ts'

const USAGE = 'Usage: npm run conformance -- URL KEY [CALLBACK_URL]\n'
/** More than the prompts of the checks have, in any tokenizer. */
const PROMPT_TOKENS_MAX = 1_000n
const MILLION = 1_000_000n

const [baseUrl = '', apiKey = '', callbackUrl] = process.argv.slice(2)
const callback = callbackUrl === undefined ? undefined : URL.parse(callbackUrl)
if (URL.parse(baseUrl) === null || apiKey === '' || callback === null) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const models = await listModels()
process.stderr.write(`${describeCost(models)}\n`)
const service = {
  baseUrl: baseUrl.replace(/\/+$/, ''),
  apiKey,
  ...(callback && {
    callback: { url: callback.href, host: '0.0.0.0', port: Number(callback.port) || 80 },
  }),
}
const vitest = await startVitest('test', [], {
  config: 'vitest.conformance.config.ts',
  watch: false,
  provide: { service },
})
await vitest.close()

async function listModels(): Promise<ModelInfo[]> {
  const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}/chats/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
  }).catch((error: Error) => error)
  if (answer instanceof Response && answer.ok)
    return readModels(parseJson(await answer.text())) ?? []
  const why =
    answer instanceof Response ? `answered ${answer.status}` : `not reached: ${answer.cause}`
  process.stderr.write(`Cannot check ${baseUrl}: GET /chats/models ${why}\n`)
  process.exit(2)
}

function describeCost(all: readonly ModelInfo[]): string {
  const price = (model: ModelInfo) => model.completionMicroRubPer1m ?? 10n ** 18n
  const [model] = all.toSorted((one, other) => Number(price(one) - price(other)))
  const { promptMicroRubPer1m: prompt, completionMicroRubPer1m: completion } = model ?? {}
  const { chats, completionTokens, images, videos } = RUN_MAX
  const chatCost =
    prompt === undefined || completion === undefined
      ? 'at prices that the service does not list'
      : `${formatRub((BigInt(chats) * PROMPT_TOKENS_MAX * prompt + BigInt(completionTokens) * completion) / MILLION)} RUB`
  return [
    `This run spends money of the account. At most: ${chats} chats of ${model?.id} (${chatCost}),`,
    `${images} pictures and ${videos} videos of 5 seconds in 720p at the prices of the service.`,
    'Nothing else should use the account during the run. It takes ten minutes and the time of two videos.',
  ].join('\n')
}
