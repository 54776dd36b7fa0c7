/** A model, and about what a request costs with it. */
export interface PricedModel {
  id: string
  costMicroRub: bigint
}

/** More of them do not fit the screen of a phone. */
const OTHERS_MAX = 6

/**
 * Chooses the models with which an answer is offered again beside its own: the nearest in price, the cheapest first,
 * since a service gives no other figure by which models could be compared. None is an unpleasant surprise.
 */
export function chooseOthers(
  model: string,
  priced: readonly PricedModel[],
): readonly PricedModel[] {
  const byPrice = priced.toSorted((one, other) => Number(one.costMicroRub - other.costMicroRub))
  const own = byPrice.findIndex(({ id }) => id === model)
  const stepsTo = ({ index }: { index: number }) => Math.abs(index - own)
  return byPrice
    .map((other, index) => ({ other, index }))
    .filter(({ index }) => index !== own)
    .toSorted((one, other) => stepsTo(one) - stepsTo(other))
    .slice(0, OTHERS_MAX)
    .toSorted((one, other) => one.index - other.index)
    .map(({ other }) => other)
}
