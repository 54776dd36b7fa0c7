import type { Logger } from 'pino'
import { isPublicUrl } from '../../../platform/http/outside-url.ts'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import { MediaRefusedError } from '../../telegram/errors.ts'
import type { Destination } from '../../telegram/message.ts'
import type { Outbox, OutgoingFile } from '../../telegram/send.ts'
import { sendBestEffort } from '../../telegram/shortcuts.ts'
import { deliveredFilesOf } from '../order/delivered-files.ts'
import type { Order } from '../order/order-store.ts'
import { ResultUnavailableError } from './fetch-result.ts'
import type { ResultGiving } from './give-results.ts'
import { toAlbums } from './ways-to-show.ts'

export interface SendAgainDeps {
  outbox: Pick<Outbox, 'send' | 'sendMedia'>
  giving: ResultGiving
  texts: Texts
  log: Logger
}

/**
 * Sends delivered results once more, at no cost: as Telegram holds them, or from their links where it does not
 * hold them any more, or its file ids are not known.
 */
export function createSendAgain({ outbox, giving, texts, log }: SendAgainDeps) {
  return { sendAgain }

  async function sendAgain(order: Order, destination: Destination): Promise<void> {
    const { chatId } = destination
    const ifLost = 'results maybe not sent again'
    await sendBestEffort(() => send(order, destination), { chatId, ifLost, log })
  }

  async function send(order: Order, destination: Destination): Promise<void> {
    const show = (files: readonly OutgoingFile[]) => outbox.sendMedia({ ...destination, files })
    try {
      if (await sendHeld(order, show)) return
      for (const urls of toAlbums(order.resultUrls)) {
        const shown = await giving.give(order, urls, show)
        if (shown === 'link') return await say('result-link')
        if (shown === 'impossible') return await say('result-gone')
      }
    } catch (error) {
      if (!(error instanceof ResultUnavailableError)) throw error
      await say('result-gone')
    }

    async function say(key: string): Promise<void> {
      const { kind, resultUrls } = order
      const links = resultUrls.filter(isPublicUrl).join('\n')
      const text = texts.t(languageOf(order.user), key, { kind, links, count: resultUrls.length })
      await outbox.send({ ...destination, text })
    }
  }

  /** @returns True if Telegram holds all of them. */
  async function sendHeld(
    order: Order,
    show: (files: readonly OutgoingFile[]) => Promise<unknown>,
  ): Promise<boolean> {
    const held = deliveredFilesOf(order)
    if (held.length < order.resultUrls.length) return false
    try {
      for (const files of toAlbums(held)) {
        await show(files.map(({ type, fileId }) => ({ type, source: { fileId } })))
      }
      return true
    } catch (error) {
      if (!(error instanceof MediaRefusedError)) throw error
      return false
    }
  }
}
