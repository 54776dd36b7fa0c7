/** Of an order that a card makes: one, however often it is tapped. */
export function cardOrigin(cardId: bigint): string {
  return `card ${cardId}`
}

/** Of the orders that a user makes with one button; of those with one key at most one is under way. */
export function buttonKey({
  variant,
  orderId,
  userId,
}: {
  variant: string
  orderId: bigint
  userId: number
}): string {
  return `${variant} ${orderId} ${userId}`
}
