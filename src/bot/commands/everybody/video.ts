import {
  clipLabel,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../contract/video.ts'
import { parseVideoCommand } from '../../media/options/video-options.ts'
import { messageOrigin } from '../../media/order/origin-key.ts'
import type { Orders } from '../../media/orders.ts'
import type { PictureOffer, Pictures } from '../../media/picture/pictures.ts'
import { formatMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

type ClipPrices = ReadonlyMap<string, bigint>

interface VideoDeps {
  orders: Pick<Orders, 'place'>
  pictures: Pick<Pictures, 'offer'>
  /** By label; undefined where the service's prices are not known. */
  clipPricesMicroRub: ClipPrices | undefined
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

async function order(
  { orders, pictures, clipPricesMicroRub: pricesMicroRub }: VideoDeps,
  command: Command,
): Promise<void> {
  const { t, answer, argument, picture } = command
  if (pricesMicroRub === undefined) return answer(t('video-no-prices'))
  const given = parseVideoCommand(argument)
  switch (given.status) {
    case 'no_prompt':
      return answer(t('video-usage', { prices: listPrices(pricesMicroRub, command) }))
    case 'too_long':
      return answer(t('video-too-long', { length: given.length, limit: given.limit }))
    case 'not_offered':
      return answer(t('video-not-offered'))
    case 'ok': {
      const { label } = given
      const priceMicroRub = pricesMicroRub.get(label)
      if (priceMicroRub === undefined) return answer(t('video-no-price'))
      const offered = picture && (await pictures.offer(picture))
      if (offered !== undefined && offered.status !== 'offered') {
        return answer(t(PICTURE_TEXTS[offered.status]))
      }
      const request = toRequest(given.request, offered?.imageUrl)
      const { chatId, threadId, user, messageId: replyToMessageId } = command
      const originKey = messageOrigin(chatId, replyToMessageId)
      const asked = { chatId, threadId, user, originKey, replyToMessageId }
      const media = { kind: 'video', request } as const
      await orders.place({ ...asked, media, label, priceMicroRub, priceEstimated: false })
    }
  }
}

/** From a picture: the clip takes its shape. */
function toRequest(request: VideoRequest, imageUrl: string | undefined): VideoRequest {
  if (imageUrl === undefined) return request
  const { aspect_ratio: _, ...shapeless } = request
  return { ...shapeless, image_url: imageUrl }
}

/** One line for each clip that has a price. */
function listPrices(pricesMicroRub: ClipPrices, { t, user }: Command): string {
  const lines = VIDEO_QUALITIES.flatMap((quality) =>
    VIDEO_DURATIONS.flatMap((duration) => {
      const microRub = pricesMicroRub.get(clipLabel({ quality, duration }))
      if (microRub === undefined) return []
      const price = formatMoney(microRub, user.languageCode)
      return t('clip-price-line', { seconds: duration, quality, price })
    }),
  )
  return lines.join('\n')
}
