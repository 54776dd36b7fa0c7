import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { createFresh } from '../models.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { labelsOf } from './catalog.ts'

type PricesMicroRub = ReadonlyMap<string, bigint>

export interface MediaPricesDeps {
  service: Pick<ServiceClient, 'prices'>
  configuredMicroRub?: PricesMicroRub | undefined
  onKinds?: (() => void) | undefined
  clock: Clock
  log: Logger
}

/** Keeps the prices of videos, images and sounds, by their labels: the service's, else the operator's. */
export function createMediaPrices(deps: MediaPricesDeps) {
  const { service, configuredMicroRub = new Map(), onKinds = () => {}, clock, log } = deps
  let served: PricesMicroRub | undefined
  let offered: readonly MediaKind[] | undefined
  let isMissingNamed = false
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
    nameMissing()
    asked.resolve()
  }

  /** Logs once which labels have no price, so that the operator sets one. */
  function nameMissing(): void {
    const labels = MEDIA_KINDS.flatMap(labelsOf).map(({ label }) => label)
    const missing = labels.filter((label) => isOffered(label) && priceOf(label) === undefined)
    if (missing.length === 0 || isMissingNamed) return
    isMissingNamed = true
    log.warn(
      { labels: missing },
      'no price is set for these labels: only admins can order them until MEDIA_PRICES_RUB names one',
    )
  }

  /**
   * The kinds that the service makes anything of; all of them where it serves no prices. Undefined while it was not
   * asked.
   */
  function kinds(): readonly MediaKind[] | undefined {
    return offered
  }

  /**
   * Makes prices ready. Call it before they are shown or taken: it asks the service unless it was asked before. While the
   * service is away, the operator's prices count.
   */
  async function ready(): Promise<void> {
    if (offered !== undefined) return
    await load(stopped).catch((error: unknown) => {
      log.warn(errorFacts(error), 'the prices of the service are not known now')
    })
  }

  /** The price of an order of a label. Undefined if it is unknown: then only admins may order it. */
  function priceOf(label: string): bigint | undefined {
    return list().get(label)
  }

  function isOffered(label: string): boolean {
    return served === undefined || served.has(label)
  }

  /** Every price that is known, by label. */
  function list(): PricesMicroRub {
    return served ?? configuredMicroRub
  }
}

export type MediaPrices = ReturnType<typeof createMediaPrices>
