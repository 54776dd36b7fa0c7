import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../contract/media.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createFresh } from '../../models/fresh.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { labelsOf } from '../options/catalog.ts'

/** The price of an order of a label. */
export interface MediaPrice {
  microRub: bigint
  /** True if it is learnt from orders. */
  estimated: boolean
}

type PricesMicroRub = ReadonlyMap<string, bigint>

export interface MediaPricesDeps {
  service: Pick<ServiceClient, 'prices'>
  /** The operator's prices by label, for a service that serves none. */
  configuredMicroRub?: PricesMicroRub | undefined
  learnt: Pick<LearntPrices, 'read'>
  /** Called when the kinds are known for the first time, and when they change. */
  onKinds?: (() => void) | undefined
  clock: Clock
  log: Logger
}

/**
 * Keeps the prices of clips, pictures and sounds, by their labels: the service's, else the operator's, else those
 * that earlier orders have cost.
 */
export function createMediaPrices(deps: MediaPricesDeps) {
  const { service, configuredMicroRub = new Map(), learnt, onKinds = () => {}, clock, log } = deps
  let served: PricesMicroRub | undefined
  let learntMicroRub: PricesMicroRub = new Map()
  let offered: readonly MediaKind[] | undefined
  const asked = Promise.withResolvers<void>()
  const {
    start,
    stop,
    refresh,
    signal: stopped,
  } = createFresh({ name: 'prices', load, clock, log })
  return { start, stop, refresh, whenAsked: asked.promise, ready, priceOf, isOffered, kinds, list }

  async function load(signal: AbortSignal): Promise<void> {
    served = await service.prices({ signal })
    const before = offered
    offered = MEDIA_KINDS.filter((kind) => labelsOf(kind).some(({ label }) => isOffered(label)))
    if (!isDeepStrictEqual(offered, before)) onKinds()
    asked.resolve()
  }

  /**
   * The kinds that the service makes anything of; all of them where it serves no prices. Undefined while it was not
   * asked.
   */
  function kinds(): readonly MediaKind[] | undefined {
    return offered
  }

  /**
   * Makes prices ready. Call it before they are shown or taken: it asks the service unless it was asked before, and reads
   * what any process has learnt. Where the service is away, what is known without it counts.
   */
  async function ready(): Promise<void> {
    if (offered === undefined) {
      await load(stopped).catch((error: unknown) => {
        log.warn(errorFacts(error), 'the prices of the service are not known now')
      })
    }
    if (served === undefined) learntMicroRub = await learnt.read()
  }

  /** The price of an order of a label. Undefined where it is not known: its user is to say yes to that. */
  function priceOf(label: string): MediaPrice | undefined {
    return list().get(label)
  }

  /** Checks whether a label can be ordered: a service that serves prices has no other labels. */
  function isOffered(label: string): boolean {
    return served === undefined || served.has(label)
  }

  /** Every price that is known, by label. */
  function list(): ReadonlyMap<string, MediaPrice> {
    if (served !== undefined) return toPrices(served, false)
    return new Map([...toPrices(learntMicroRub, true), ...toPrices(configuredMicroRub, false)])
  }
}

export type MediaPrices = ReturnType<typeof createMediaPrices>

function toPrices(pricesMicroRub: PricesMicroRub, estimated: boolean): Map<string, MediaPrice> {
  return new Map([...pricesMicroRub].map(([label, microRub]) => [label, { microRub, estimated }]))
}

/** Stores what orders have cost by their labels, for all processes. */
export function createLearntPrices(prisma: Pick<PrismaClient, 'learntPrice'>) {
  return { read, learn }

  async function read(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await prisma.learntPrice.findMany()
    return new Map(rows.map(({ label, priceMicroRub }) => [label, priceMicroRub]))
  }

  /** @param priceMicroRub > 0. It replaces what was learnt of the label before. */
  async function learn(label: string, priceMicroRub: bigint): Promise<void> {
    const where = { label }
    const update = { priceMicroRub }
    await prisma.learntPrice.upsert({ where, create: { label, priceMicroRub }, update })
  }
}

export type LearntPrices = ReturnType<typeof createLearntPrices>
