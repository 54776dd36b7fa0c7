import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createServiceClient } from '../contract/client/service-client.ts'
import { formatRub, parseRub } from '../contract/money.ts'
import { estimatePromptTokens } from '../contract/token-estimate.ts'
import type { Proxies } from '../platform/http/proxies.ts'
import { type Config, readConfig } from '../process/config.ts'
import { openProxies } from '../process/process-proxies.ts'
import { createServedModels, type ServedModel } from '../service/chat/models.ts'
import { priceAnswer, priceHold } from '../service/chat/price.ts'
import type { Upstream } from '../service/chat/upstreams.ts'
import { listModels } from '../service/config/openai/list-models.ts'
import {
  describeRate,
  describeSource,
  offerModels,
  toServiceConfig,
} from '../service/config/openai/offer-models.ts'
import { openPriceBook } from '../service/config/openai/price-book.ts'
import type { OpenAiSettings } from '../service/config/openai/settings.ts'
import type { ServiceConfig } from '../service/config/service-config.ts'
import { ProviderError } from '../service/providers/provider.ts'
import { type Field, toJson, writeJson, writeTable } from './output.ts'
import { type CommandContext, createProgram, writeToOperator } from './program.ts'

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
      const trials = await tryOffer(config)
      const listed = toJson(TRIAL_FIELDS, trials)
      print(options.json ? writeJson({ trials: listed }) : writeTable(TRIAL_FIELDS, trials))
      if (trials.some(({ answers }) => !answers)) process.exitCode = 1
      return
    }
    const { rows, remarks } = await listOffer(config)
    if (options.json) return print(writeJson({ models: toJson(FIELDS, rows), remarks }))
    print([writeTable(FIELDS, rows), ...remarks].join('\n'))
  }
}

const HEADS = {
  id: 'model',
  context_tokens: 'context',
  prompt_rub_per_1m: '₽ in / 1M',
  cached_prompt_rub_per_1m: '₽ cached / 1M',
  completion_rub_per_1m: '₽ out / 1M',
  prompt_usd_per_1m: '$ in',
  completion_usd_per_1m: '$ out',
  price_from: 'price from',
}

type Column = keyof typeof HEADS
/** Prices are micro-roubles and micro-dollars, or decimals as a config has them. */
type Row = { readonly [Name in Column]?: string | number | bigint | undefined }

const FIELDS = Object.entries(HEADS).map(([name, head]): Field<Row> => {
  const isPrice = name.endsWith('_per_1m')
  const toValue = (value: Row[Column]) =>
    isPrice && typeof value === 'string' ? parseRub(value) : value
  return { name, head, read: (row) => toValue(row[name as Column]) }
})

async function listOffer(config: Config): Promise<{ rows: readonly Row[]; remarks: string[] }> {
  const { openAi, serviceFile, service, remoteServiceUrl } = config
  if (openAi !== undefined) {
    const models = await askUpstream(openAi, openProxies(config).upstream)
    const assumed = models.filter(({ contextFrom }) => contextFrom === 'assumed')
    const ids = assumed.map(({ config }) => config.id).join(', ')
    const remark = `The context is an assumption, as no source has it: ${ids}.`
    const rows = models.map((model) => ({
      ...model.config,
      prompt_usd_per_1m: model.usd.prompt,
      completion_usd_per_1m: model.usd.completion,
      price_from: describeSource(model, openAi.baseUrl),
    }))
    return { rows, remarks: [describeRate(openAi), ...(ids === '' ? [] : [remark])] }
  }
  if (remoteServiceUrl !== undefined) return { rows: await listRemote(config), remarks: [] }
  const price_from = serviceFile ?? 'built in, a demo: set OPENAI_API_KEY for real models'
  return { rows: service.chat.models.map((model) => ({ ...model, price_from })), remarks: [] }
}

async function askUpstream(openAi: OpenAiSettings, proxies: Proxies | undefined) {
  const list = await listModels({ ...openAi, proxies }, new AbortController().signal)
  const offer = offerModels(openAi, list, { book: await openPriceBook(openAi.baseUrl) })
  if (!offer.ok) throw new Error(offer.problems.join('; '))
  if (offer.trouble !== undefined) throw new Error(offer.trouble.sentence)
  return offer.models
}

async function listRemote(config: Config): Promise<Row[]> {
  const { remoteServiceUrl: baseUrl = '', secrets } = config
  const { upstream: proxies } = openProxies(config)
  const client = createServiceClient({ baseUrl, apiKey: secrets.serviceApiKey ?? '', proxies })
  try {
    const models = await client.models()
    return models.map(({ id, contextTokens, promptMicroRubPer1m, completionMicroRubPer1m }) => ({
      id,
      context_tokens: contextTokens,
      prompt_rub_per_1m: promptMicroRubPer1m,
      completion_rub_per_1m: completionMicroRubPer1m,
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

const MESSAGES = [{ role: 'user', content: 'Hi' }] as const

/**
 * The most tokens of the answer, try after try. Models that think refuse one token: some need at least 16, others stop
 * before the answer begins.
 *
 * @see https://github.com/vllm-project/guidellm/issues/370
 * @see https://github.com/spiceai/spiceai/issues/7126
 */
const MAX_TOKENS = [1, 1024] as const

interface Trial {
  answers: boolean
  /** Undefined if the upstream does not report its tokens. */
  costMicroRub?: bigint
  said: string
}

interface UpstreamTrial extends Trial {
  model: string
  upstream: string
}

const TRIAL_FIELDS: readonly Field<UpstreamTrial>[] = [
  { name: 'model', head: 'model', read: ({ model }) => model },
  { name: 'upstream', head: 'upstream', read: ({ upstream }) => upstream },
  { name: 'answers', read: ({ answers }) => answers },
  { name: 'cost_rub', read: ({ costMicroRub }) => costMicroRub },
  { name: 'said', head: 'one token', read: ({ said }) => said },
]

async function tryOffer(config: Config): Promise<UpstreamTrial[]> {
  const { openAi, service, remoteServiceUrl } = config
  const { upstream: proxies } = openProxies(config)
  if (remoteServiceUrl !== undefined) {
    throw new Error('--try asks the upstreams of your own service: unset SERVICE_URL')
  }
  const offer = openAi ? toServiceConfig(await askUpstream(openAi, proxies), openAi) : service
  return await tryUpstreams(offer, { proxies, report: writeToOperator })
}

/** Asks one upstream after the other: a machine that runs models itself may have memory for one model. */
export async function tryUpstreams(
  offer: ServiceConfig,
  { proxies, report }: { proxies: Proxies | undefined; report: (sentence: string) => void },
): Promise<UpstreamTrial[]> {
  const trials: UpstreamTrial[] = []
  for (const model of createServedModels(offer, { proxies }).values()) {
    for (const { name, provider } of model.upstreams) {
      report(`Asking ${name} for one token of ${model.id} …`)
      trials.push({ model: model.id, upstream: name, ...(await tryProvider(model, provider)) })
    }
  }
  return trials
}

async function tryProvider(model: ServedModel, provider: Upstream['provider']): Promise<Trial> {
  const { signal } = new AbortController()
  let said = ''
  for (const maxTokens of MAX_TOKENS) {
    try {
      const { usage } = await provider.answer({ messages: MESSAGES, maxTokens }, signal, () => {})
      if (usage === undefined) return { answers: true, said: 'answers, but reports no tokens' }
      const promptTokens = estimatePromptTokens(MESSAGES)
      const held = priceHold(model, { promptTokens, maxTokens })
      const { costMicroRub } = priceAnswer({ model, promptTokens, held }, usage, () => '')
      const tokens = `${usage.promptTokens} tokens in and ${usage.completionTokens} out`
      said = `answers: ${tokens} cost ₽${formatRub(costMicroRub)}`
      return { answers: true, costMicroRub, said }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const { failure, message } = error
      const words = [failure?.status, failure?.explanation].filter((part) => part).join(' ')
      said = `does not answer: ${words || message}`
      // Another refusal has nothing to do with the length.
      if (failure?.status !== 400) break
    }
  }
  return { answers: false, said }
}
