import type { MediaKind } from '../../../contract/tasks.ts'
import type { Sender } from '../../telegram/addressing.ts'
import { exists, labelOf, type MediaOptions, type OptionName, optionNames } from '../catalog.ts'
import type { CardAction } from './card-data.ts'
import { type Doubt, findDoubt, type LabelPrices } from './card-prices.ts'
import type { Card, CardChange } from './card-store.ts'

/** The effect of a press on a card. */
export type PressDecision =
  /** Other options are ticked, it is for another kind, or its user does not want it. */
  | { type: 'chosen' | 'dropped'; change: CardChange }
  /** The order is to be confirmed. */
  | { type: 'asked'; doubt: Doubt; change: CardChange }
  /** The words are a question to the model; also where they were taken for one before. */
  | { type: 'ask_model'; change?: CardChange }
  /** Also where it was ordered before: one card makes one order. */
  | { type: 'order'; change?: CardChange }
  /** The option that was tapped does not go with another one that is chosen. */
  | {
      type: 'no_pair'
      tapped: OptionName
      value: MediaOptions
      other: OptionName
      change?: undefined
    }
  /** The service does not make what was tapped. */
  | { type: 'not_offered'; change?: undefined }
  /** The button is of an earlier state of the card, or of no state at all. */
  | { type: 'stale'; change?: undefined }

export interface PressFacts {
  prices: LabelPrices
  sound: { options: MediaOptions; prices: LabelPrices }
  confirmFromMicroRub: bigint
  isSecond: boolean
}

/** Decides what a press by the card's user does. Nothing is ordered at a price that its user did not read. */
export function judgePress(
  card: Pick<Card, 'kind' | 'state' | 'options' | 'literalPrompt' | 'looseWords' | 'shownPrices'>,
  action: CardAction,
  { prices, sound, confirmFromMicroRub, isSecond }: PressFacts,
): PressDecision {
  const { kind, state, literalPrompt, looseWords } = card
  // Once more, in case that the process ended before the order was created.
  if (state === 'ordered') return { type: 'order' }
  switch (action.type) {
    case 'set': {
      if (state !== 'words') return { type: 'stale' }
      const options = { ...card.options, ...action.options }
      if (!exists(kind, options)) return findRivals(kind, card.options, action.options)
      if (!prices.has(labelOf(kind, options))) return { type: 'not_offered' }
      return { type: 'chosen', change: { options, shownPrices: prices } }
    }
    case 'take': {
      const options = { ...card.options, ...action.options }
      if (state !== 'choice' || !exists(kind, options)) return { type: 'stale' }
      return orderOrAsk({ options })
    }
    case 'literal':
      if (state !== 'choice' || literalPrompt === null) return { type: 'stale' }
      return orderOrAsk({ prompt: literalPrompt })
    case 'order': {
      if (state !== 'confirmation') return { type: 'stale' }
      const label = labelOf(kind, card.options)
      const isSame = (prices.get(label) ?? null) === (card.shownPrices.get(label) ?? null)
      if (isSame) return { type: 'order', change: { state: 'ordered' } }
      return { type: 'asked', doubt: 'new_price', change: { shownPrices: prices } }
    }
    case 'sound': {
      if (state !== 'words' || kind !== 'image') return { type: 'stale' }
      const { options, prices: shownPrices } = sound
      if (!shownPrices.has(labelOf('sound', options))) return { type: 'not_offered' }
      return { type: 'chosen', change: { kind: 'sound', options, shownPrices } }
    }
    case 'drop': {
      const isOpen = state === 'choice' || state === 'confirmation'
      return isOpen ? { type: 'dropped', change: { state: 'dropped' } } : { type: 'stale' }
    }
    case 'ask': {
      if (looseWords === null || state === 'words') return { type: 'stale' }
      return state === 'dropped'
        ? { type: 'ask_model' }
        : { type: 'ask_model', change: { state: 'dropped' } }
    }
  }

  function orderOrAsk(chosen: Pick<CardChange, 'options' | 'prompt'>): PressDecision {
    const label = labelOf(kind, chosen.options ?? card.options)
    const doubt = findDoubt({
      microRub: prices.get(label) ?? undefined,
      shownMicroRub: card.shownPrices.get(label) ?? undefined,
      confirmFromMicroRub,
      isSecond,
    })
    if (doubt === undefined) return { type: 'order', change: { ...chosen, state: 'ordered' } }
    const change = { ...chosen, state: 'confirmation', shownPrices: prices } as const
    return { type: 'asked', doubt, change }
  }
}

function findRivals(
  kind: MediaKind,
  chosen: MediaOptions,
  value: MediaOptions,
): Extract<PressDecision, { type: 'no_pair' | 'stale' }> {
  const names = optionNames(kind)
  const tapped = names.find((name) => name in value)
  const other = names.find(
    (name) => name !== tapped && !exists(kind, { ...value, [name]: chosen[name] }),
  )
  return tapped && other ? { type: 'no_pair', tapped, value, other } : { type: 'stale' }
}

/** Checks whether a user may use a card: their own, or as an admin a group's, since a group presses no button. */
export function mayUseCard(
  { user }: Pick<Card, 'user'>,
  { id, role }: Pick<Sender, 'id' | 'role'>,
): boolean {
  return user.id === id || (user.id < 0 && role === 'admin')
}
