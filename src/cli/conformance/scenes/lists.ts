import {
  type ModelInfo,
  readCallbackSecret,
  readModels,
  readPrices,
} from '../../../contract/client/read-answers.ts'
import { toModelName } from '../../../contract/media.ts'
import type { WireAnswer } from '../answer.ts'
import { once } from '../evidence.ts'
import type { ConformanceOptions } from '../options.ts'
import type { Wire } from '../wire.ts'

/** Creates what is read of a service: models, prices and secrets. */
export function createLists(wire: Wire, { model, otherApiKey, creation }: ConformanceOptions) {
  const models = once(() => wire.ask({ method: 'GET', path: '/chats/models' }))
  const prices = once(async () => {
    const answer = await wire.ask({ method: 'GET', path: '/prices' })
    return answer.status === 200 ? readPrices(answer.json) : undefined
  })
  const askSecret = (key?: { apiKey: string | undefined }) =>
    wire.ask({ method: 'GET', path: '/callback/secret', ...key })
  const secrets = once(
    async (): Promise<[WireAnswer, WireAnswer]> => [await askSecret(), await askSecret()],
  )
  return {
    models,
    prices,
    /** The account's secret, twice. */
    secrets,
    otherSecret: once(() => askSecret({ apiKey: otherApiKey })),
    /** The account's secret; undefined where it cannot be read. */
    findSecret: async () => readCallbackSecret((await secrets())[0].json),
    /** The price of a task at the creation endpoint; undefined if the service tells none. */
    findTaskPrice: async () => (await prices())?.get(toModelName(creation.path)),
    findModel,
    findDearestModel,
  }

  /** The model of that name; without one that which is asked, the cheapest if none was named. */
  async function findModel(name = model): Promise<ModelInfo | undefined> {
    const list = await readList()
    const named = list.find(({ id }) => id === name)
    if (named !== undefined) return named
    const byPrices = list.filter(isPriced).toSorted(byPrice)
    // What is provoked may be in no list. It costs what the dearest does, or less.
    if (name !== undefined) return { ...byPrices.at(-1), id: name }
    return byPrices[0] ?? list[0]
  }

  async function findDearestModel(): Promise<ModelInfo | undefined> {
    return (await readList()).filter(isPriced).toSorted(byPrice).at(-1)
  }

  async function readList(): Promise<ModelInfo[]> {
    return readModels((await models()).json) ?? []
  }
}

function isPriced({ completionMicroRubPer1m }: ModelInfo): boolean {
  return completionMicroRubPer1m !== undefined && completionMicroRubPer1m > 0n
}

function byPrice(left: ModelInfo, right: ModelInfo): number {
  return Number(left.completionMicroRubPer1m) - Number(right.completionMicroRubPer1m)
}
