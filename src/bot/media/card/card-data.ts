import type { MediaKind } from '../../../contract/tasks.ts'
import { CATALOG, type MediaOptions, type OptionName } from '../catalog.ts'

/** The form of a card button's `callback_data`: `card:12:take:duration=5,shape=9:16`. */
export const CARD_DATA =
  /^card:(\d{1,15}):(set|take|literal|order|drop|ask|sound)(?::([\w:=,]{1,40}))?$/

/**
 * A press on a card's button. `set`: choose options on a card that waits for the words. `take`: order what does
 * exist. `literal`: order, since the words in question describe. `order`: confirm. `drop`: not order after all. `ask`:
 * have the model answer the words. `sound`: make it a card for a sound.
 */
export type CardAction =
  | { type: 'set' | 'take'; options: MediaOptions }
  | { type: 'literal' | 'order' | 'drop' | 'ask' | 'sound' }

export function toCardData(cardId: bigint, action: CardAction): string {
  const words = ['card', cardId, action.type]
  if (action.type === 'set' || action.type === 'take') {
    const chosen = Object.entries(action.options).map(([name, value]) => `${name}=${value}`)
    words.push(chosen.join())
  }
  return words.join(':')
}

/**
 * Reads what a press on a card of this kind asks for.
 *
 * @returns Undefined where an option does not exist: a client can send what no button says.
 */
export function readCardAction(data: string, kind: MediaKind): CardAction | undefined {
  const [, , type, chosen = ''] = CARD_DATA.exec(data) ?? []
  switch (type) {
    case 'literal':
    case 'order':
    case 'drop':
    case 'ask':
    case 'sound':
      return { type }
    case 'set':
    case 'take':
      break
    default:
      return undefined
  }
  const options = chosen.split(',').map((option) => readOption(option, kind))
  if (options.includes(undefined)) return undefined
  return { type, options: Object.assign({}, ...options) }
}

function readOption(option: string, kind: MediaKind): MediaOptions | undefined {
  const [name = '', text] = option.split(/=(.*)/)
  const values = CATALOG[kind].values
  if (!Object.hasOwn(values, name)) return undefined
  const known: readonly unknown[] = values[name as OptionName] ?? []
  const value = known.find((one) => String(one) === text)
  return value === undefined ? undefined : { [name]: value }
}
