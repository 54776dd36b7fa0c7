/** What an order of a label costs. */
export interface MediaPrice {
  microRub: bigint
  /** Learnt, not told. */
  estimated: boolean
}

export interface MediaPricesDeps {
  /** By label, of every kind. Undefined where none is known. */
  pricesMicroRub: ReadonlyMap<string, bigint> | undefined
}

/** What clips, pictures and sounds cost, by their labels. */
export function createMediaPrices({ pricesMicroRub = new Map() }: MediaPricesDeps) {
  return { priceOf, list }

  /** The price of an order of a label; undefined where it is not known. */
  function priceOf(label: string): MediaPrice | undefined {
    const microRub = pricesMicroRub.get(label)
    return microRub === undefined ? undefined : { microRub, estimated: false }
  }

  /** Every price that is known, by label. */
  function list(): ReadonlyMap<string, MediaPrice> {
    return new Map(
      [...pricesMicroRub].map(([label, microRub]) => [label, { microRub, estimated: false }]),
    )
  }
}

export type MediaPrices = ReturnType<typeof createMediaPrices>
