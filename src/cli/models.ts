import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createServiceClient } from '../contract/client/service-client.ts'
import { formatRub } from '../contract/money.ts'
import { estimatePromptTokens } from '../contract/token-estimate.ts'
import type { Proxies } from '../platform/http/proxies.ts'
import { type Config, readConfig } from '../process/config.ts'
import { openProxies } from '../process/process-proxies.ts'
import { createServedModels, type ServedModel } from '../service/chat/models.ts'
import { priceAnswer, priceHold } from '../service/chat/price.ts'
import type { Upstream } from '../service/chat/upstreams.ts'
import type { ChatModelConfig } from '../service/config/chat-config.ts'
import { listModels } from '../service/config/openai/list-models.ts'
import {
  describeRate,
  describeSource,
  type OfferedModel,
  offerModels,
  toServiceConfig,
} from '../service/config/openai/offer-models.ts'
import { openPriceBook } from '../service/config/openai/price-book.ts'
import type { OpenAiSettings } from '../service/config/openai/settings.ts'
import { joinPieces, writtenIn } from '../service/providers/join-pieces.ts'
import {
  type AnswerPiece,
  ProviderError,
  type ProviderUsage,
} from '../service/providers/provider.ts'
import type { ProviderAccess } from '../service/providers/provider-http.ts'
import { type Field, toJson, writeJson, writeTable } from './output.ts'
import { type CommandContext, createProgram, writeToOperator } from './program.ts'

/** A model on offer; in JSON, fields without a value are left out. */
type Row = { [Name in keyof ChatModelConfig]?: ChatModelConfig[Name] | undefined } & {
  prompt_usd_per_1m?: string
  completion_usd_per_1m?: string
  price_from: string
}

/** `kopeck models`: the offer of a start with this environment. */
export function createModelsProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help)
    .option(
      '--try',
      'one token of each upstream, at its price; exit status 1 if one does not answer',
    )
    .option('--write <file>', 'new file for SERVICE_CONFIG')
    .option('--json', 'JSON')
    .action(run)

  async function run(options: { json?: true; write?: string; try?: true }): Promise<void> {
    const config = readConfig(env)
    for (const note of config.notes) writeToOperator(`Note: ${note}`)
    if (options.write !== undefined) return print(await writeServiceFile(options.write, config))
    if (options.try) {
      const trials = await tryUpstreams(config)
      const listed = toJson(TRIAL_FIELDS, trials)
      print(options.json ? writeJson({ trials: listed }) : writeTable(TRIAL_FIELDS, trials))
      if (trials.some(({ trial }) => !trial.answers)) process.exitCode = 1
      return
    }
    const { rows, remarks } = await findListing(config)
    if (options.json) return print(writeJson({ models: rows, remarks }))
    print([writeTable(toFields(rows), rows), ...remarks].join('\n'))
  }
}

async function findListing(config: Config): Promise<{ rows: readonly Row[]; remarks: string[] }> {
  const { openAi, serviceFile, service, remoteServiceUrl, secrets } = config
  const { upstream: proxies } = openProxies(config)
  if (openAi !== undefined) {
    const models = await askUpstream(openAi, proxies)
    const assumed = models.filter(({ contextFrom }) => contextFrom === 'assumed')
    const ids = assumed.map(({ config }) => config.id).join(', ')
    const remarks = ids === '' ? [] : [`The context is an assumption, as no source has it: ${ids}.`]
    const rows = models.map((model) => ({
      ...toRow(model.config, describeSource(model, openAi.baseUrl)),
      prompt_usd_per_1m: formatRub(model.usd.prompt),
      completion_usd_per_1m: formatRub(model.usd.completion),
    }))
    return { rows, remarks: [describeRate(openAi), ...remarks] }
  }
  if (remoteServiceUrl !== undefined && secrets.serviceApiKey !== undefined) {
    return { rows: await listRemote(remoteServiceUrl, secrets.serviceApiKey, proxies), remarks: [] }
  }
  const from = serviceFile ?? 'built in, a demo: set OPENAI_API_KEY for real models'
  return { rows: service.chat.models.map((model) => toRow(model, from)), remarks: [] }
}

async function askUpstream(
  openAi: OpenAiSettings,
  proxies: Proxies | undefined,
): Promise<readonly OfferedModel[]> {
  const { baseUrl, apiKey } = openAi
  const list = await listModels({ baseUrl, apiKey, proxies }, new AbortController().signal)
  const offer = offerModels(openAi, list, { book: await openPriceBook(baseUrl) })
  if (!offer.ok) throw new Error(offer.problems.join('; '))
  if (offer.trouble !== undefined) throw new Error(offer.trouble.sentence)
  return offer.models
}

async function listRemote(
  baseUrl: string,
  apiKey: string,
  proxies: Proxies | undefined,
): Promise<Row[]> {
  const client = createServiceClient({ baseUrl, apiKey, proxies })
  const format = (microRub: bigint | undefined) =>
    microRub === undefined ? undefined : formatRub(microRub)
  try {
    const models = await client.models()
    return models.map(({ id, contextTokens, promptMicroRubPer1m, completionMicroRubPer1m }) => ({
      id,
      context_tokens: contextTokens,
      prompt_rub_per_1m: format(promptMicroRubPer1m),
      completion_rub_per_1m: format(completionMicroRubPer1m),
      price_from: 'SERVICE_URL',
    }))
  } finally {
    await client.close()
  }
}

async function writeServiceFile(path: string, config: Config): Promise<string> {
  const { openAi } = config
  if (openAi === undefined) {
    throw new Error('--write makes a file from OPENAI_API_KEY: set it, and no SERVICE_CONFIG')
  }
  const models = await askUpstream(openAi, openProxies(config).upstream)
  const file = { chat: { models: models.map(({ config }) => config) } }
  try {
    await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`The file ${path} is there already: nothing was written`)
  }
  return `Wrote ${path} with ${models.length} models. It counts from the next start with SERVICE_CONFIG=${path}.`
}

function toRow(
  { family, provider, upstreams, ...model }: ChatModelConfig,
  price_from: string,
): Row {
  return { ...model, price_from }
}

function toFields(rows: readonly Row[]): readonly Field<Row>[] {
  const ifAny = (field: Field<Row>) => (rows.some((row) => field.read(row) !== '–') ? [field] : [])
  const text = (name: keyof Row, head: string): Field<Row> => ({
    head,
    read: (row) => String(row[name] ?? '–'),
  })
  const number = (name: keyof Row, head: string) => ({ ...text(name, head), isNumber: true })
  return [
    text('id', 'model'),
    number('context_tokens', 'context'),
    number('prompt_rub_per_1m', '₽ in / 1M'),
    ...ifAny(number('cached_prompt_rub_per_1m', '₽ cached / 1M')),
    number('completion_rub_per_1m', '₽ out / 1M'),
    ...ifAny(number('prompt_usd_per_1m', '$ in')),
    ...ifAny(number('completion_usd_per_1m', '$ out')),
    text('price_from', 'price from'),
  ]
}

const MESSAGES = [{ role: 'user', content: 'Hi' }] as const

/**
 * The most tokens of the answer, try after try. Models that think refuse one token: some need at least 16, others stop
 * before the answer begins.
 *
 * @see https://github.com/vllm-project/guidellm/issues/370
 * @see https://github.com/spiceai/spiceai/issues/7126
 */
const MAX_TOKENS = [1, 1024] as const

export type ModelTrial =
  | { answers: true; usage: ProviderUsage; isEstimated: boolean; costMicroRub: bigint }
  | { answers: false; said: string }

interface UpstreamTrial {
  model: string
  upstream: string
  trial: ModelTrial
}

const TRIAL_FIELDS: readonly Field<UpstreamTrial>[] = [
  { name: 'model', head: 'model', read: ({ model }) => model },
  { name: 'upstream', head: 'upstream', read: ({ upstream }) => upstream },
  { name: 'answers', read: ({ trial }) => trial.answers },
  {
    name: 'cost_rub',
    read: ({ trial }) => (trial.answers ? formatRub(trial.costMicroRub) : undefined),
  },
  { name: 'said', read: ({ trial }) => (trial.answers ? undefined : trial.said) },
  { head: 'one token', read: ({ trial }) => describeTrial(trial) },
]

export function describeTrial(trial: ModelTrial): string {
  if (!trial.answers) return `does not answer: ${trial.said}`
  const { usage, isEstimated, costMicroRub } = trial
  const tokens = `${usage.promptTokens} tokens in and ${usage.completionTokens} out`
  return isEstimated
    ? `answers without its tokens: an estimated ${tokens} cost ≈ ₽${formatRub(costMicroRub)}`
    : `answers: ${tokens} cost ₽${formatRub(costMicroRub)}`
}

/** Asks one upstream after the other: a machine that runs models itself may have memory for one model. */
async function tryUpstreams(config: Config): Promise<UpstreamTrial[]> {
  const { openAi, service, remoteServiceUrl } = config
  const { upstream: proxies } = openProxies(config)
  if (remoteServiceUrl !== undefined) {
    throw new Error('--try asks the upstreams of your own service: unset SERVICE_URL')
  }
  const tried = openAi ? toServiceConfig(await askUpstream(openAi, proxies), openAi) : service
  const { signal } = new AbortController()
  const trials: UpstreamTrial[] = []
  for (const model of createServedModels(tried, { proxies }).values()) {
    for (const { name, provider } of model.upstreams) {
      writeToOperator(`Asking ${name} for one token of ${model.id} …`)
      const trial = await tryProvider(model, provider, signal)
      trials.push({ model: model.id, upstream: name, trial })
    }
  }
  return trials
}

export async function tryModel(
  offered: OfferedModel,
  { apiKey, proxies }: Pick<ProviderAccess, 'apiKey' | 'proxies'>,
  signal: AbortSignal,
): Promise<ModelTrial> {
  const [model] = createServedModels(toServiceConfig([offered], { apiKey }), { proxies }).values()
  const [upstream] = model?.upstreams ?? []
  if (model === undefined || upstream === undefined) throw new TypeError('No model to try')
  return await tryProvider(model, upstream.provider, signal)
}

async function tryProvider(
  model: ServedModel,
  provider: Upstream['provider'],
  signal: AbortSignal,
): Promise<ModelTrial> {
  let said = ''
  for (const maxTokens of MAX_TOKENS) {
    const pieces: AnswerPiece[] = []
    const take = (some: readonly AnswerPiece[]) => void pieces.push(...some)
    try {
      const { usage } = await provider.answer({ messages: MESSAGES, maxTokens }, signal, take)
      return toTrial(model, maxTokens, { usage, pieces })
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const { failure, message } = error
      said = [failure?.status, failure?.explanation].filter((part) => part).join(' ') || message
      // Another refusal has nothing to do with the length.
      if (failure?.status !== 400) break
    }
  }
  return { answers: false, said }
}

function toTrial(
  model: ServedModel,
  maxTokens: number,
  { usage: reported, pieces }: { usage: ProviderUsage | undefined; pieces: readonly AnswerPiece[] },
): ModelTrial {
  const promptTokens = estimatePromptTokens(MESSAGES)
  const held = priceHold(model, { promptTokens, maxTokens })
  const write = () => writtenIn(joinPieces(pieces))
  const { usage, costMicroRub, reason } = priceAnswer(
    { model, promptTokens, held },
    reported,
    write,
  )
  return { answers: true, usage, isEstimated: reason !== 'usage', costMicroRub }
}
