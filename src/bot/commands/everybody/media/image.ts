import type { OrderCards } from '../../../media/card/order-cards.ts'
import type { CommandDefinition } from '../../command.ts'

interface ImageDeps {
  orderCards: Pick<OrderCards, 'command'>
}

/** Orders a picture, or shows the card on which one is ordered. */
export const imageCommand: CommandDefinition<ImageDeps> = {
  name: 'image',
  audience: 'everybody',
  listed: 'everywhere',
  about: ['image'],
  usage: '[prompt]',
  create: ({ orderCards }) => ({ handle: (command) => orderCards.command('image', command) }),
}
