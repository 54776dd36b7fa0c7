import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createServiceClient } from '../../contract/client/service-client.ts'
import { formatRub } from '../../contract/money.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { type Config, readConfig } from '../../process/config/config.ts'
import { describeRate, describeSource } from '../../process/describe-models.ts'
import { openProxies } from '../../process/process-proxies.ts'
import type { ChatModelConfig } from '../../service/config/chat-config.ts'
import { type OfferedModel, toServiceConfig } from '../../service/config/openai/offer-models.ts'
import { readOffer } from '../../service/config/openai/read-offer.ts'
import { formatUsd } from '../../service/config/openai/usd.ts'
import type { OpenAiSettings } from '../../service/config/openai/variables.ts'
import type { ServiceConfig } from '../../service/config/service-config.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { writeToOperator } from '../command-line/with-pool.ts'
import { writeJson, writeTable } from '../command-line/write-output.ts'
import { tryUpstreams, writeTrials, writeTrialsJson } from './try-upstreams.ts'

interface Row {
  id: string
  context_tokens: number | undefined
  prompt_rub_per_1m: string | undefined
  completion_rub_per_1m: string | undefined
  /** Of a model that is sold here, more prices as SERVICE_CONFIG has them. */
  cached_prompt_rub_per_1m?: string | undefined
  cache_write_rub_per_1m?: string | undefined
  reasoning_rub_per_1m?: string | undefined
  tiers?: ChatModelConfig['tiers']
  hours?: ChatModelConfig['hours']
  price_by?: ChatModelConfig['price_by']
  prompt_usd_per_1m?: string
  completion_usd_per_1m?: string
  price_from: string
}

interface Listing {
  rows: readonly Row[]
  remarks: readonly string[]
}

interface Options {
  json?: true
  write?: string
  try?: true
}

/** `kopeck models`: what a start with this environment would sell. */
export function createModelsProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Lists the chat models that a start with this environment offers, what they cost, and where each price was taken ' +
      'from. With OPENAI_API_KEY it asks the upstream, as the start does. It starts nothing and costs nothing; with --try ' +
      'each upstream of each model is asked for one token. Exit status 1: one of them does not answer.',
  })
    .option('--try', 'have each upstream answer with one token, at its price')
    .option('--write <file>', 'write them as a file for SERVICE_CONFIG, which is to be edited')
    .option('--json', 'print JSON')
    .action(list)

  async function list({ json, write, try: isTried }: Options): Promise<void> {
    const config = readConfig(env)
    for (const note of config.notes) process.stderr.write(`Note: ${note}\n`)
    if (write !== undefined) return print(await writeServiceFile(write, config))
    if (isTried) return await tryAll(config, json === true)
    const { rows, remarks } = await findListing(config)
    print(json ? writeJson({ models: rows, remarks }) : [writeRows(rows), ...remarks].join('\n'))
  }

  async function tryAll(config: Config, isJson: boolean): Promise<void> {
    const { upstream: proxies } = openProxies(config)
    const service = await findTried(config, proxies)
    const trials = await tryUpstreams(service, { proxies }, writeToOperator)
    print(isJson ? writeTrialsJson(trials) : writeTrials(trials))
    if (trials.some(({ trial }) => !trial.answers)) process.exitCode = 1
  }
}

async function findTried(config: Config, proxies: Proxies | undefined): Promise<ServiceConfig> {
  const { openAi, service, remoteServiceUrl } = config
  if (remoteServiceUrl !== undefined) {
    throw new Error('--try asks the upstreams of a service of your own: SERVICE_URL is another one')
  }
  if (openAi === undefined) return service
  return toServiceConfig(await askUpstream(openAi, proxies), openAi)
}

async function findListing(config: Config): Promise<Listing> {
  const { openAi, serviceFile, service, remoteServiceUrl, secrets } = config
  const { upstream: proxies } = openProxies(config)
  if (openAi !== undefined) {
    const models = await askUpstream(openAi, proxies)
    const rows = models.map((model) => toRow(model, openAi))
    return { rows, remarks: [describeRate(openAi), ...describeAssumed(models)] }
  }
  if (remoteServiceUrl !== undefined && secrets.serviceApiKey !== undefined) {
    return await listRemote(remoteServiceUrl, secrets.serviceApiKey, proxies)
  }
  const from = serviceFile ?? 'built in, a demo: set OPENAI_API_KEY for real models'
  return { rows: service.chat.models.map((model) => toConfiguredRow(model, from)), remarks: [] }
}

async function askUpstream(
  openAi: OpenAiSettings,
  proxies: Proxies | undefined,
): Promise<readonly OfferedModel[]> {
  const offer = await readOffer(openAi, new AbortController().signal, proxies)
  if (!offer.ok) throw new Error(offer.problems.join('; '))
  if (offer.trouble !== undefined) throw new Error(offer.trouble.sentence)
  return offer.models
}

function describeAssumed(models: readonly OfferedModel[]): string[] {
  const ids = models
    .filter(({ contextFrom }) => contextFrom === 'assumed')
    .map(({ config }) => config.id)
  return ids.length === 0 ? [] : [`The context is assumed, nobody tells it, of ${ids.join(', ')}.`]
}

async function listRemote(
  baseUrl: string,
  apiKey: string,
  proxies: Proxies | undefined,
): Promise<Listing> {
  const client = createServiceClient({ baseUrl, apiKey, proxies })
  try {
    const models = await client.models()
    const rows = models.map(({ id, contextTokens, ...prices }) => ({
      id,
      context_tokens: contextTokens,
      prompt_rub_per_1m: formatKnown(prices.promptMicroRubPer1m),
      completion_rub_per_1m: formatKnown(prices.completionMicroRubPer1m),
      price_from: 'SERVICE_URL',
    }))
    return { rows, remarks: [] }
  } finally {
    await client.close()
  }
}

/** Writes what the key offers as a file. One that is there stays as it is. */
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

function toRow(model: OfferedModel, { baseUrl }: Pick<OpenAiSettings, 'baseUrl'>): Row {
  return {
    ...toConfiguredRow(model.config, describeSource(model, baseUrl)),
    prompt_usd_per_1m: formatUsd(model.usd.prompt),
    completion_usd_per_1m: formatUsd(model.usd.completion),
  }
}

function toConfiguredRow(model: ChatModelConfig, price_from: string): Row {
  const { id, context_tokens, prompt_rub_per_1m, completion_rub_per_1m } = model
  const { cached_prompt_rub_per_1m, cache_write_rub_per_1m, reasoning_rub_per_1m, tiers, hours } =
    model
  return {
    ...{ id, context_tokens, prompt_rub_per_1m, cached_prompt_rub_per_1m, cache_write_rub_per_1m },
    ...{
      completion_rub_per_1m,
      reasoning_rub_per_1m,
      tiers,
      hours,
      price_by: model.price_by,
      price_from,
    },
  }
}

function formatKnown(microRub: bigint | undefined): string | undefined {
  return microRub === undefined ? undefined : formatRub(microRub)
}

function writeRows(rows: readonly Row[]): string {
  const isInDollars = rows.some(({ prompt_usd_per_1m }) => prompt_usd_per_1m !== undefined)
  const isCachedPriced = rows.some((row) => row.cached_prompt_rub_per_1m !== undefined)
  const dollars = ['$ in', '$ out'].map((head) => ({ head, isNumber: true }))
  const columns = [
    { head: 'model' },
    { head: 'context', isNumber: true },
    { head: '₽ in / 1M', isNumber: true },
    ...(isCachedPriced ? [{ head: '₽ cached / 1M', isNumber: true }] : []),
    { head: '₽ out / 1M', isNumber: true },
    ...(isInDollars ? dollars : []),
    { head: 'price from' },
  ]
  const cells = rows.map((row) => [
    row.id,
    row.context_tokens === undefined ? '–' : String(row.context_tokens),
    row.prompt_rub_per_1m ?? '–',
    ...(isCachedPriced ? [row.cached_prompt_rub_per_1m ?? '–'] : []),
    row.completion_rub_per_1m ?? '–',
    ...(isInDollars ? [row.prompt_usd_per_1m ?? '–', row.completion_usd_per_1m ?? '–'] : []),
    row.price_from,
  ])
  return writeTable(columns, cells)
}
