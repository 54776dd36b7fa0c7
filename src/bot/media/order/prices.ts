import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createFresh } from '../../models/fresh.ts'
import { errorFacts } from '../../telegram/error-facts.ts'

/** What an order of a label costs. */
export interface MediaPrice {
  microRub: bigint
  /** Learnt from orders, not told. */
  estimated: boolean
}

type PricesMicroRub = ReadonlyMap<string, bigint>

export interface MediaPricesDeps {
  service: Pick<ServiceClient, 'prices'>
  /** What the operator says that the labels cost, for a service that does not tell. */
  configuredMicroRub?: PricesMicroRub | undefined
  learnt: Pick<LearntPrices, 'read'>
  clock: Clock
  log: Logger
}

/**
 * What clips, pictures and sounds cost, by their labels: as the service tells it, else as the operator does,
 * else as earlier orders have cost.
 */
export function createMediaPrices(deps: MediaPricesDeps) {
  const { service, configuredMicroRub = new Map(), learnt, clock, log } = deps
  let told: PricesMicroRub | undefined
  let learntMicroRub: PricesMicroRub = new Map()
  let isAsked = false
  const {
    start,
    stop,
    refresh,
    signal: stopped,
  } = createFresh({ name: 'prices', load, clock, log })
  return { start, stop, refresh, ready, priceOf, isOffered, list }

  async function load(signal: AbortSignal): Promise<void> {
    told = await service.prices({ signal })
    isAsked = true
  }

  /**
   * To be awaited before prices are shown or taken: asks the service unless it was asked before, and reads
   * what any process has learnt. Where the service is away, what is known without it counts.
   */
  async function ready(): Promise<void> {
    if (!isAsked) {
      await load(stopped).catch((error: unknown) => {
        log.warn(errorFacts(error), 'the service does not tell its prices now')
      })
    }
    if (told === undefined) learntMicroRub = await learnt.read()
  }

  /** The price of an order of a label. Undefined where it is not known: its user is to say yes to that. */
  function priceOf(label: string): MediaPrice | undefined {
    return list().get(label)
  }

  /** Whether a label can be ordered: a service that tells its prices has no others. */
  function isOffered(label: string): boolean {
    return told === undefined || told.has(label)
  }

  /** Every price that is known, by label. */
  function list(): ReadonlyMap<string, MediaPrice> {
    if (told !== undefined) return toPrices(told, false)
    return new Map([...toPrices(learntMicroRub, true), ...toPrices(configuredMicroRub, false)])
  }
}

export type MediaPrices = ReturnType<typeof createMediaPrices>

function toPrices(pricesMicroRub: PricesMicroRub, estimated: boolean): Map<string, MediaPrice> {
  return new Map([...pricesMicroRub].map(([label, microRub]) => [label, { microRub, estimated }]))
}

/** What orders have cost by their labels, shared by all processes. */
export function createLearntPrices(prisma: Pick<PrismaClient, 'learntPrice'>) {
  return { read, learn }

  async function read(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await prisma.learntPrice.findMany()
    return new Map(rows.map(({ label, priceMicroRub }) => [label, priceMicroRub]))
  }

  /** @param priceMicroRub > 0. What was learnt before of the label no longer counts. */
  async function learn(label: string, priceMicroRub: bigint): Promise<void> {
    const where = { label }
    const update = { priceMicroRub }
    await prisma.learntPrice.upsert({ where, create: { label, priceMicroRub }, update })
  }
}

export type LearntPrices = ReturnType<typeof createLearntPrices>
