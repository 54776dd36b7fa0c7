import { labelsOf, toOptions, toRequest } from '../../media/options/catalog.ts'
import { parseVideoCommand } from '../../media/options/video-options.ts'
import { messageOrigin } from '../../media/order/origin-key.ts'
import type { Orders } from '../../media/orders.ts'
import type { PictureOffer, Pictures } from '../../media/picture/pictures.ts'
import type { MediaPrices } from '../../media/prices.ts'
import { formatMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface VideoDeps {
  orders: Pick<Orders, 'place'>
  pictures: Pick<Pictures, 'offer'>
  prices: MediaPrices
}

/** Why no clip can be made from a picture. */
const PICTURE_TEXTS: Readonly<Record<Exclude<PictureOffer['status'], 'offered'>, string>> = {
  no_public_url: 'picture-no-public-url',
  too_large: 'picture-too-large',
  wrong_shape: 'picture-wrong-shape',
  not_a_picture: 'picture-not-a-picture',
  one_of_several: 'picture-one-of-several',
  gone: 'picture-gone',
}

/** Orders a clip, or says what is missing for it. */
export const videoCommand: CommandDefinition<VideoDeps> = {
  name: 'video',
  audience: 'everybody',
  usage: '<prompt>',
  create: (deps) => ({ handle: (command) => order(deps, command) }),
}

async function order({ orders, pictures, prices }: VideoDeps, command: Command): Promise<void> {
  const { t, answer, argument, picture } = command
  await prices.ready()
  if (prices.list().size === 0) return answer(t('video-no-prices'))
  const given = parseVideoCommand(argument)
  switch (given.status) {
    case 'no_prompt':
      return answer(t('video-usage', { prices: listPrices(prices, command) }))
    case 'too_long':
      return answer(t('video-too-long', { length: given.length, limit: given.limit }))
    case 'not_offered':
      return answer(t('video-not-offered'))
    case 'ok': {
      const { label } = given
      const price = prices.priceOf(label)
      if (price === undefined) return answer(t('video-no-price'))
      const offered = picture && (await pictures.offer(picture, { userId: command.user.id }))
      if (offered !== undefined && offered.status !== 'offered') {
        return answer(t(PICTURE_TEXTS[offered.status]))
      }
      const options = toOptions({ kind: 'video', request: given.request })
      const media = toRequest('video', {
        ...{ prompt: given.request.prompt, options, imageUrl: offered?.imageUrl },
      })
      const { chatId, threadId, user, messageId: replyToMessageId } = command
      const originKey = messageOrigin(chatId, replyToMessageId)
      const asked = { chatId, threadId, user, originKey, replyToMessageId }
      const { microRub: priceMicroRub, estimated: priceEstimated } = price
      await orders.place({ ...asked, media, label, priceMicroRub, priceEstimated })
    }
  }
}

/** One line for each clip that has a price. */
function listPrices({ priceOf }: MediaPrices, { t, user }: Command): string {
  const lines = labelsOf('video').flatMap(({ label, options }) => {
    const microRub = priceOf(label)?.microRub
    if (microRub === undefined) return []
    const price = formatMoney(microRub, user.languageCode)
    return t('clip-price-line', {
      seconds: options.duration ?? 0,
      quality: options.quality ?? '',
      price,
    })
  })
  return lines.join('\n')
}
