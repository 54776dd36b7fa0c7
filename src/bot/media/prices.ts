/** The offers of the moment: kinds and prices, and the reasons why a wish is refused or confirmed. */
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { createFresh } from '../models.ts'
import type { Sender } from '../telegram/addressing.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Texts } from '../texts/texts.ts'
import { labelOf, labelsOf, type MediaOptions } from './catalog.ts'
import type { DraftPicture, LabelPrices } from './drafts.ts'
import { offerVariables } from './option-texts.ts'
import { type Pictures, pictureRefusal } from './pictures.ts'

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

  /** Returns all kinds if the service serves no prices; undefined before it was asked. */
  function kinds(): readonly MediaKind[] | undefined {
    return offered
  }

  /** Call it before prices are used. While the service is away, the operator's prices count. */
  async function ready(): Promise<void> {
    if (offered !== undefined) return
    await load(stopped).catch((error: unknown) => {
      log.warn(errorFacts(error), 'the prices of the service are not known now')
    })
  }

  /** Returns undefined for an unknown price: then only admins may order. */
  function priceOf(label: string): bigint | undefined {
    return list().get(label)
  }

  function isOffered(label: string): boolean {
    return served === undefined || served.has(label)
  }

  function list(): PricesMicroRub {
    return served ?? configuredMicroRub
  }
}

export type MediaPrices = ReturnType<typeof createMediaPrices>

export interface OffersApp {
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered' | 'kinds'>
  texts: Texts
}

export interface Wish {
  kind: MediaKind
  user: Sender
  options?: MediaOptions | undefined
  picture?: DraftPicture | undefined
}

/** `refusal`: a sentence with the reason. */
export type Preparation = { imageUrl: string | undefined } | { refusal: string }

/** Also copies the picture for the service. */
export async function prepare(app: OffersApp, wish: Wish): Promise<Preparation> {
  const { kind, user, picture } = wish
  const key = findRefusal(app, wish)
  if (key !== undefined) return refuse(app, wish, key)
  if (picture === undefined) return { imageUrl: undefined }
  if (kind !== 'video') return refuse(app, wish, 'picture-video-only')
  const by = { userId: user.id }
  const offered =
    picture.type === 'served'
      ? await app.pictures.offerAgain(picture.url, by)
      : await app.pictures.offer(picture, by)
  return offered.status === 'offered' ? offered : refuse(app, wish, pictureRefusal(offered))
}

export function pricesOf({ prices }: Pick<OffersApp, 'prices'>, kind: MediaKind): LabelPrices {
  const labels = labelsOf(kind).map(({ label }) => label)
  return Object.fromEntries(
    labels
      .filter(prices.isOffered)
      .map((label) => [label, prices.priceOf(label)?.toString() ?? null]),
  )
}

/** Why an order is confirmed before it is made; the text that says so, unless the price on the card does. */
export type Doubt = 'card-price-changed' | 'card-second' | 'high_price'

/** Nothing is ordered at a price that its user did not read. */
export function findDoubt({
  price,
  shown,
  confirmFromMicroRub,
  isSecond,
}: {
  price: bigint | null
  shown: bigint | null | undefined
  confirmFromMicroRub: bigint
  isSecond: boolean
}): Doubt | undefined {
  if (typeof shown === 'bigint' && price !== shown) return 'card-price-changed'
  if (price === null || price !== shown || price >= confirmFromMicroRub) return 'high_price'
  return isSecond ? 'card-second' : undefined
}

function findRefusal({ prices }: OffersApp, { kind, user, options }: Wish): string | undefined {
  if (!(prices.kinds() ?? MEDIA_KINDS).includes(kind)) return 'media-not-sold'
  const labels = options ? [labelOf(kind, options)] : labelsOf(kind).map(({ label }) => label)
  if (!labels.some(prices.isOffered)) return 'media-not-offered'
  const hasPrice = labels.some((label) => prices.priceOf(label) !== undefined)
  if (hasPrice || user.role === 'admin') return undefined
  // A service that was not asked yet may have one.
  return prices.kinds() === undefined ? 'service-unavailable' : 'media-no-price'
}

function refuse(
  { prices, texts }: OffersApp,
  { kind, user }: Wish,
  key: string,
): { refusal: string } {
  const { languageCode } = user
  const offered = offerVariables(prices.kinds() ?? MEDIA_KINDS, { languageCode, texts })
  return { refusal: texts.t(languageCode, key, { kind, ...offered }) }
}
