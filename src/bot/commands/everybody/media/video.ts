import type { OrderCards } from '../../../media/card/order-cards.ts'
import type { CommandDefinition } from '../../command.ts'

interface VideoDeps {
  orderCards: Pick<OrderCards, 'command'>
}

/** Orders a clip, or shows the card on which one is ordered. */
export const videoCommand: CommandDefinition<VideoDeps> = {
  name: 'video',
  audience: 'everybody',
  listed: 'everywhere',
  about: ['video'],
  usage: '[prompt]',
  create: ({ orderCards }) => ({ handle: (command) => orderCards.command('video', command) }),
}
