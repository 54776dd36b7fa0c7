/**
 * Delivers finished results, and sends them again.
 *
 * One result is shown once by construction. A short message is sent first, which notifies, and its id is stored. Turning
 * that message into the result can be repeated after any crash without a second message, and the order's message is
 * removed. A result that is ready at once replaces the order's message: an edit makes no sound.
 *
 * Several results are an album, and no message can be turned into one. Before it is sent that is recorded
 * (`sendingSince`), and Telegram's answer ends the record. If there was no answer, by a crash or a broken connection,
 * the album may be in the chat: it is not sent again, and the message that announced it leads to the results.
 */
import { readTime } from '../../platform/database/prisma.ts'
import { isPublicUrl } from '../../platform/http/url-guard.ts'
import { atMost } from '../../platform/time/at-most.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import { languageOf } from '../people/users.ts'
import { errorFacts, isTelegramError } from '../telegram/errors.ts'
import type { Destination } from '../telegram/message.ts'
import type { MessageRef, OutgoingFile } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { ResultError } from './fetch-result.ts'
import {
  CHAT_UNREACHABLE,
  type DeliveredFiles,
  deliveredFilesOf,
  type Order,
  UNDELIVERABLE,
} from './orders-app.ts'
import { giveResults, toAlbums } from './results.ts'
import { destinationOf, type OrderParts } from './status.ts'

/** Each delivery keeps up to 50 MB of uploads on disk. */
const DELIVERIES_MAX = 8
/** From the order on, for results that cannot be fetched. */
const DELIVERY_MS_MAX = 24 * 3600_000
const REDELIVER_MS_MAX = 30 * 60_000
/**
 * Minimum number of tries, over a quarter of an hour: the results may have been kept for weeks. A permanent link that its
 * server denies so often is dead.
 */
const DELIVERIES_MIN = 6
/** From the order on, for a chat that accepts nothing. */
const KEPT_MS_MAX = 30 * 24 * 3600_000

type Shown = DeliveredFiles | 'gone' | 'impossible'

export class Delivery {
  readonly #parts: OrderParts
  readonly #limited = atMost(DELIVERIES_MAX)

  constructor(parts: OrderParts) {
    this.#parts = parts
  }

  /** @returns Milliseconds until the order continues. */
  deliver(order: Order): Promise<number> {
    return this.#limited(async () => {
      if (this.#parts.stopping.aborted) return 0
      try {
        return await this.#show(order)
      } catch (error) {
        if (isTelegramError(error, 'chat_unreachable')) return this.#park(order)
        if (error instanceof ResultError) return this.#putOff(order, error)
        throw error
      }
    })
  }

  /** Sends results by Telegram's file ids, else from their links, at no cost. */
  async sendAgain(order: Order, destination: Destination): Promise<void> {
    const { chatId } = destination
    const { log } = this.#parts.app
    const ifLost = 'results maybe not sent again'
    await sendBestEffort(() => this.#sendAgain(order, destination), { chatId, ifLost, log })
  }

  async #show(order: Order): Promise<number> {
    if (order.resultMessageId !== null) return this.#showIn(order, order.resultMessageId)
    const inPlace = this.#findPlace(order)
    if (inPlace !== undefined) return this.#showIn(order, inPlace)
    const announced = await this.#announce(order)
    return this.#showIn(announced, announced.resultMessageId ?? 0)
  }

  /** An album replaces no message, and notifies by itself. */
  #findPlace({ statusMessageId, resultUrls, ageMs }: Order): number | undefined {
    const isSoon = ageMs() < this.#parts.app.timings.inPlaceMs && resultUrls.length === 1
    return isSoon ? statusMessageId || undefined : undefined
  }

  async #showIn(order: Order, messageId: number): Promise<number> {
    const { app, rows, status } = this.#parts
    const target = { chatId: Number(order.chatId), messageId }
    const isAlbum = order.resultUrls.length > 1
    const shown = await (isAlbum ? this.#showAlbums(order, target) : this.#showFile(order, target))
    if (shown === 'impossible') return this.#giveUp(order)
    if (shown === 'gone') {
      const isResult = order.resultMessageId === messageId
      await rows.change(order, isResult ? { resultMessageId: null } : { statusMessageId: 0 })
      return app.timings.redeliverMs
    }
    if (messageId !== order.statusMessageId) await status.giveWay(order)
    await rows.end(order, { state: 'delivered', deliveredFiles: shown, parkedAt: null })
    return 0
  }

  async #announce(order: Order): Promise<Order> {
    const { app, rows, status } = this.#parts
    const { kind, resultUrls } = order
    const facts = { kind, count: resultUrls.length }
    const text = app.texts.t(languageOf(order.user), 'result-ready', facts)
    try {
      const { messageId } = await status.reply(order, text)
      return await rows.change(order, { resultMessageId: messageId })
    } catch (error) {
      // The announcement may be there, but its id is not known. The order's message can become the result as well;
      // without one, the announcement is made once more.
      if (!isTelegramError(error, 'outcome_unknown') || !order.statusMessageId) throw error
      return rows.change(order, { resultMessageId: order.statusMessageId })
    }
  }

  async #showFile(order: Order, target: MessageRef): Promise<Shown> {
    const { app, aborted: signal } = this.#parts
    const keyboard = app.againButtons.belowResult(order)
    const shown = await giveResults(this.#parts, order, {
      urls: order.resultUrls,
      show: async ([file]) => {
        if (file === undefined) throw new RangeError('Cannot show results: there are none')
        return app.outbox.editToMedia(target, file, { keyboard, signal })
      },
    })
    if (shown === 'link') return this.#say(order, target, 'result-link')
    if (shown === 'shown') return []
    return shown === 'gone' || shown === 'impossible' ? shown : [shown]
  }

  async #showAlbums(order: Order, target: MessageRef): Promise<Shown> {
    if (order.sendingSince !== null) return this.#say(order, target, 'result-maybe-shown')
    let current = order
    const left = order.resultUrls.slice(deliveredFilesOf(order).length)
    for (const urls of toAlbums(left)) {
      try {
        const show = (files: readonly OutgoingFile[]) => this.#sendAlbum(current, files)
        const files = await giveResults(this.#parts, current, { urls, show })
        if (files === 'link') return this.#say(current, target, 'result-link')
        if (files === 'impossible') return files
        const deliveredFiles = [...deliveredFilesOf(current), ...files]
        current = await this.#parts.rows.change(current, { deliveredFiles, sendingSince: null })
      } catch (error) {
        if (!isTelegramError(error, 'outcome_unknown')) throw error
        return this.#say(current, target, 'result-maybe-shown')
      }
    }
    await this.#say(current, target, 'result-below')
    return deliveredFilesOf(current)
  }

  async #sendAlbum(order: Order, files: readonly OutgoingFile[]): Promise<DeliveredFiles> {
    const { app, rows, aborted: signal } = this.#parts
    const message = { ...destinationOf(order), files }
    const sent = await app.outbox.sendMedia(message, {
      signal,
      onAttempt: async () => {
        await rows.change(order, { sendingSince: await readTime(app.prisma) })
      },
      onNothingSent: async () => {
        await rows.change(order, { sendingSince: null })
      },
    })
    return [...sent.files]
  }

  async #say(order: Order, target: MessageRef, key: string): Promise<Shown> {
    const { app, aborted: signal } = this.#parts
    const { kind, resultUrls } = order
    const links = resultUrls.filter(isPublicUrl).join('\n')
    const facts = { kind, count: resultUrls.length, links, isLinked: String(links !== '') }
    const text = app.texts.t(languageOf(order.user), key, facts).trimEnd()
    const keyboard = app.againButtons.belowResult(order)
    const outcome = await app.outbox.edit(target, text, { keyboard, signal })
    return outcome === 'gone' ? 'gone' : deliveredFilesOf(order)
  }

  async #park(order: Order): Promise<number> {
    const { app, rows } = this.#parts
    if (order.ageMs() >= KEPT_MS_MAX) await rows.fail(order, CHAT_UNREACHABLE)
    else await rows.change(order, { parkedAt: order.parkedAt ?? (await readTime(app.prisma)) })
    app.log.info({ orderId: String(order.id) }, 'the chat of an order accepts no messages')
    return 0
  }

  async #putOff(order: Order, error: ResultError): Promise<number> {
    const { app, rows } = this.#parts
    const failedDeliveries = order.failedDeliveries + 1
    await rows.change(order, { failedDeliveries })
    const facts = { orderId: String(order.id), failedDeliveries }
    app.log.warn({ ...errorFacts(error), ...facts }, 'a finished result could not be fetched')
    const isHopeless = error.code === 'denied' || order.ageMs() >= DELIVERY_MS_MAX
    if (isHopeless && failedDeliveries >= DELIVERIES_MIN) return this.#giveUp(order)
    const { redeliverMs: firstMs } = app.timings
    return backoffMs({ firstMs, maxMs: REDELIVER_MS_MAX }, failedDeliveries)
  }

  /** The results were made and paid for, but cannot be shown. */
  async #giveUp(order: Order): Promise<number> {
    const { app, rows } = this.#parts
    await rows.fail(order, UNDELIVERABLE)
    app.log.error({ orderId: String(order.id) }, 'results given up, their charge is written off')
    return 0
  }

  async #sendAgain(order: Order, destination: Destination): Promise<void> {
    const { texts, outbox } = this.#parts.app
    const { kind, resultUrls } = order
    const show = (files: readonly OutgoingFile[]) => outbox.sendMedia({ ...destination, files })
    const say = async (key: string) => {
      const links = resultUrls.filter(isPublicUrl).join('\n')
      const facts = { kind, links, count: resultUrls.length }
      await outbox.send({ ...destination, text: texts.t(languageOf(order.user), key, facts) })
    }
    try {
      if (await sendHeld(order, show)) return
      for (const urls of toAlbums(resultUrls)) {
        const shown = await giveResults(this.#parts, order, { urls, show })
        if (shown === 'link') return await say('result-link')
        if (shown === 'impossible') return await say('result-gone')
      }
    } catch (error) {
      if (!(error instanceof ResultError)) throw error
      await say('result-gone')
    }
  }
}

/** @returns False if Telegram does not hold all of them. */
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
    if (!isTelegramError(error, 'media_refused')) throw error
    return false
  }
}
