/** A model, and about what a request costs with it. */
export interface PricedModel {
  id: string
  costMicroRub: bigint
}

/**
 * Chooses the two models with which an answer is offered again beside its own: one step down and one step up in
 * price, since a service gives no other figure by which models could be compared. At an end of the list it goes two
 * steps the same way. A step at a time leads to every model, and none is an unpleasant surprise.
 *
 * @param priced Every model that can take the request and has a price.
 */
export function chooseOthers(
  model: string,
  priced: readonly PricedModel[],
): readonly PricedModel[] {
  const byPrice = priced.toSorted((one, other) => Number(one.costMicroRub - other.costMicroRub))
  const index = byPrice.findIndex(({ id }) => id === model)
  const below = byPrice.slice(0, Math.max(index, 0)).reverse()
  const above = byPrice.slice(index + 1)
  const [down] = below
  const [up] = above
  return down && up ? [down, up] : [...below, ...above].slice(0, 2)
}
