import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { isPublicUrl } from '../../../platform/http/outside-url.ts'
import { backoffMs } from '../../../platform/time/retry.ts'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { MessageRef, Outbox, OutgoingFile } from '../../telegram/send.ts'
import type { AgainButtons } from '../again.ts'
import { type DeliveredFiles, deliveredFilesOf } from '../order/delivered-files.ts'
import { CHAT_UNREACHABLE, UNDELIVERABLE } from '../order/order-failure.ts'
import { destinationOf, type OrderStatus } from '../order/order-status.ts'
import type { Order, OrderStore } from '../order/order-store.ts'
import { ORDER_TABLE } from '../order/order-table.ts'
import { ResultUnavailableError } from './fetch-result.ts'
import type { ResultGiving } from './give-results.ts'
import { toAlbums } from './ways-to-show.ts'

/** How long results that cannot be fetched are tried again, from their order on. */
const DELIVERY_MS_MAX = 24 * 3600_000
const REDELIVER_MS_MAX = 30 * 60_000
/**
 * So often they are tried in any case, over a quarter of an hour: they may have been kept for weeks before. A
 * permanent link that its server goes on to deny is dead.
 */
const DELIVERIES_MIN = 6
/** How long results are kept for a chat that takes nothing, from their order on. */
const KEPT_MS_MAX = 30 * 24 * 3600_000
/** The next try, in case Telegram does not report that such a chat takes messages again. */
const PARKED_MS = 24 * 3600_000

export interface ResultDeliveryDeps {
  store: Pick<
    OrderStore,
    | 'setResultMessage'
    | 'forgetMessage'
    | 'setSending'
    | 'addDelivered'
    | 'setDelivered'
    | 'putOff'
    | 'park'
    | 'fail'
  >
  outbox: Pick<Outbox, 'edit' | 'editToMedia' | 'sendMedia'>
  giving: ResultGiving
  status: OrderStatus
  texts: Texts
  againButtons: Pick<AgainButtons, 'belowResult'>
  redeliverMs: number
  /** A result takes the place of its order's message if it is there so soon after the order: its user still looks at it. */
  inPlaceMs: number
  log: Logger
  signal: AbortSignal
}

/**
 * Shows finished results.
 *
 * One result is shown once by construction. A short message is sent first, which notifies, and its id is
 * stored; turning that message into the result can be repeated after any crash without a second one, and the order's
 * message is taken away. A result that is there at once takes the place of the order's message: an edit makes no sound,
 * and its user needs none.
 *
 * Several are an album, and no message can be turned into one. Before it is sent that is recorded
 * (`sendingSince`), and Telegram's answer ends the record. Where there was none, by a crash or a broken
 * connection, the album may stand in the chat: it is not sent again, and the message that announced it says so
 * and leads to the results.
 */
export function createResultDelivery(deps: ResultDeliveryDeps) {
  const { store, outbox, giving, status, texts, againButtons, log, signal } = deps
  const { redeliverMs, inPlaceMs } = deps
  return { show }

  async function show(order: Order): Promise<number | undefined> {
    try {
      if (order.resultMessageId !== null) return await showIn(order, order.resultMessageId)
      const inPlace = findPlace(order)
      if (inPlace !== undefined) return await showIn(order, inPlace)
      const announced = await announce(order)
      return await showIn(announced, announced.resultMessageId ?? 0)
    } catch (error) {
      if (error instanceof ChatUnreachableError) return park(order)
      if (error instanceof ResultUnavailableError) return putOff(order, error)
      throw error
    }
  }

  /** An album takes none, and notifies by itself. */
  function findPlace({ statusMessageId, resultUrls, ageMs }: Order): number | undefined {
    const isSoon = ageMs() < inPlaceMs && resultUrls.length === 1
    return isSoon ? statusMessageId || undefined : undefined
  }

  async function showIn(order: Order, messageId: number): Promise<number | undefined> {
    const target = { chatId: Number(order.chatId), messageId }
    const isAlbum = order.resultUrls.length > 1
    const shown = await (isAlbum ? showAlbums(order, target) : showFile(order, target))
    switch (shown) {
      case 'gone':
        await store.forgetMessage(order, messageId)
        return redeliverMs
      case 'impossible':
        return giveUp(order)
    }
    if (messageId !== order.statusMessageId) await status.giveWay(order, { signal })
    await store.setDelivered(order, shown)
    return undefined
  }

  async function announce(order: Order): Promise<Order> {
    const { kind, resultUrls } = order
    const count = resultUrls.length
    const text = texts.t(languageOf(order.user), 'result-ready', { kind, count })
    try {
      const { messageId } = await status.reply(order, text, { signal })
      return await store.setResultMessage(order, messageId)
    } catch (error) {
      // The announcement may be there, under an id that is not known. The status message can become
      // the result as well; where there is none, the announcement is made once more.
      if (!(error instanceof SendOutcomeUnknownError) || !order.statusMessageId) throw error
      return store.setResultMessage(order, order.statusMessageId)
    }
  }

  async function showFile(order: Order, target: MessageRef): Promise<Shown> {
    const shown = await giving.give(order, order.resultUrls, async ([file]) => {
      if (file === undefined) throw new RangeError('Cannot show results: there are none')
      const keyboard = againButtons.belowResult(order)
      return outbox.editToMedia(target, file, { keyboard, signal })
    })
    if (shown === 'link') return say(order, target, 'result-link')
    if (shown === 'shown') return []
    return shown === 'gone' || shown === 'impossible' ? shown : [shown]
  }

  async function showAlbums(order: Order, target: MessageRef): Promise<Shown> {
    if (order.sendingSince !== null) return say(order, target, 'result-maybe-shown')
    let current = order
    const left = order.resultUrls.slice(deliveredFilesOf(order).length)
    for (const urls of toAlbums(left)) {
      try {
        const files = await giving.give(current, urls, (files) => sendAlbum(current, files))
        if (files === 'link') return say(current, target, 'result-link')
        if (files === 'impossible') return files
        current = await store.addDelivered(current, files)
      } catch (error) {
        if (!(error instanceof SendOutcomeUnknownError)) throw error
        return say(current, target, 'result-maybe-shown')
      }
    }
    await say(current, target, 'result-below')
    return deliveredFilesOf(current)
  }

  async function sendAlbum(order: Order, files: readonly OutgoingFile[]): Promise<DeliveredFiles> {
    const message = { ...destinationOf(order), files }
    const sent = await outbox.sendMedia(message, {
      signal,
      onAttempt: () => store.setSending(order, true),
      onNothingSent: () => store.setSending(order, false),
    })
    return [...sent.files]
  }

  async function say(order: Order, target: MessageRef, key: string): Promise<Shown> {
    const { kind, resultUrls } = order
    const links = resultUrls.filter(isPublicUrl).join('\n')
    const facts = { kind, count: resultUrls.length, links, isLinked: String(links !== '') }
    const text = texts.t(languageOf(order.user), key, facts).trimEnd()
    const keyboard = againButtons.belowResult(order)
    const outcome = await outbox.edit(target, text, { keyboard, signal })
    return outcome === 'gone' ? 'gone' : deliveredFilesOf(order)
  }

  async function park(order: Order): Promise<number | undefined> {
    if (order.ageMs() >= KEPT_MS_MAX) return void (await store.fail(order, CHAT_UNREACHABLE))
    await store.park(order)
    log.info({ orderId: String(order.id) }, 'results are kept until their chat takes messages')
    return PARKED_MS
  }

  async function putOff(order: Order, error: ResultUnavailableError): Promise<number> {
    const { failedDeliveries } = await store.putOff(order)
    log.warn(
      { ...errorFacts(error), orderId: String(order.id), failedDeliveries },
      'a finished result could not be fetched',
    )
    const isHopeless = error.isDenied || order.ageMs() >= DELIVERY_MS_MAX
    if (isHopeless && failedDeliveries >= DELIVERIES_MIN) return giveUp(order)
    return backoffMs({ firstMs: redeliverMs, maxMs: REDELIVER_MS_MAX }, failedDeliveries)
  }

  /** The results were made and paid for, and there is no way to show them. */
  async function giveUp(order: Order): Promise<number> {
    await store.fail(order, UNDELIVERABLE)
    log.error({ orderId: String(order.id) }, 'results given up, their charge is written off')
    return 0
  }
}

type Shown = DeliveredFiles | 'gone' | 'impossible'

/**
 * Makes the results due that are kept for a chat, which takes messages again.
 *
 * Every order of the chat that is ready is due then, parked or about to be: a visit that hears a last
 * refusal at this moment does not put its order off.
 */
export async function releaseParked(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  chatId: number,
): Promise<void> {
  await prisma.$executeRaw`
    WITH due AS (
      UPDATE bot."order" SET due_at = now(), parked_at = NULL
      WHERE chat_id = ${chatId} AND state = 'ready' RETURNING 1
    )
    SELECT pg_notify(${ORDER_TABLE.name}, '') FROM due LIMIT 1`
}
