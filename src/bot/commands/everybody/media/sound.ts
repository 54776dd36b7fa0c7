import type { OrderCards } from '../../../media/card/order-cards.ts'
import type { CommandDefinition } from '../../command.ts'

interface SoundDeps {
  orderCards: Pick<OrderCards, 'command'>
}

/** Orders a sound, or shows the card on which one is ordered. */
export const soundCommand: CommandDefinition<SoundDeps> = {
  name: 'sound',
  audience: 'everybody',
  listed: 'everywhere',
  unlessSold: 'image',
  about: ['sound'],
  usage: '[prompt]',
  create: ({ orderCards }) => ({ handle: (command) => orderCards.command('sound', command) }),
}
