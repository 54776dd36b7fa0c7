/** A model, and about what a request costs with it. */
export interface PricedModel {
  id: string
  costMicroRub: bigint
}

/**
 * The two models with which an answer is offered again beside its own: one step down and one step up in price,
 * since a service tells nothing else by which models could be compared. At an end of the list two steps the same
 * way. A step at a time leads to every model, and none is an unpleasant surprise.
 *
 * @param priced Every model that can take the request and tells its price.
 */
export function chooseOthers(
  model: string,
  priced: readonly PricedModel[],
): readonly PricedModel[] {
  const byPrice = priced.toSorted((one, other) => Number(one.costMicroRub - other.costMicroRub))
  const place = byPrice.findIndex(({ id }) => id === model)
  const below = byPrice.slice(0, Math.max(place, 0)).reverse()
  const above = byPrice.slice(place + 1)
  const [down] = below
  const [up] = above
  return down && up ? [down, up] : [...below, ...above].slice(0, 2)
}
