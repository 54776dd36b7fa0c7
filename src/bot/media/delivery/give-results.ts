import type { Logger } from 'pino'
import type { UrlGuard } from '../../../platform/http/find-target.ts'
import { readImageSize } from '../../../platform/http/media-type.ts'
import { isPublicUrl } from '../../../platform/http/outside-url.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { MediaRefusedError } from '../../telegram/errors.ts'
import type { OutgoingFile, ShownAs } from '../../telegram/send.ts'
import type { Order } from '../order/order-store.ts'
import {
  type FetchedResult,
  fetchResult as fetchResultOverHttp,
  ResultRefusedError,
  ResultTooLargeError,
  UPLOAD_BYTES_MAX,
} from './fetch-result.ts'
import { readMp4Facts } from './mp4-facts.ts'
import { toOutgoing } from './outgoing-result.ts'
import { waysToShow } from './ways-to-show.ts'

/** The header of a JPEG may stand after much else. */
const PICTURE_HEAD_BYTES = 256 * 1024

const LINKED_AS = { video: 'video', image: 'photo', sound: 'audio' } as const

const FILE_NAMES = { video: 'clip', image: 'picture', sound: 'sound' } as const

export interface ResultGivingDeps {
  fetchResult?: typeof fetchResultOverHttp
  guard: UrlGuard
  log: Logger
  signal: AbortSignal
}

/**
 * Puts files into a chat. It is called once for every way that is tried.
 *
 * @throws {MediaRefusedError} If Telegram will not take one of them: nothing was shown.
 */
export type ShowFiles<Shown> = (files: readonly OutgoingFile[]) => Promise<Shown>

/**
 * Gives results to Telegram in the first way that it takes.
 *
 * Telegram fetches what stands at public addresses by itself, up to 20 MB. Of what it does not take, this
 * process makes files on disk and uploads them, up to 50 MB in one message.
 */
export function createResultGiving(deps: ResultGivingDeps) {
  const { fetchResult = fetchResultOverHttp, guard, log, signal } = deps
  return { give }

  /**
   * @returns What `show` gave; `link` where nothing is left but the addresses; `impossible` where those are of
   *   a private network, or lead to no results.
   * @throws {ResultUnavailableError} If a result did not come; it may later.
   * @throws What else `show` threw, or the signal's reason.
   */
  async function give<Shown>(
    order: Order,
    urls: readonly string[],
    show: ShowFiles<Shown>,
  ): Promise<Shown | 'link' | 'impossible'> {
    const arePublic = urls.every(isPublicUrl)
    const type = LINKED_AS[order.kind]
    try {
      if (arePublic) {
        return await show(
          urls.map((url, index) => toOutgoing(order, { type, source: { url }, index })),
        )
      }
    } catch (error) {
      if (!(error instanceof MediaRefusedError)) throw error
    }
    try {
      return await upload(order, urls, show)
    } catch (error) {
      const isNoResult = error instanceof ResultRefusedError
      const isUnfit = error instanceof ResultTooLargeError || error instanceof MediaRefusedError
      if (!isNoResult && !isUnfit) throw error
      log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'result refused')
      return isUnfit && arePublic ? 'link' : 'impossible'
    }
  }

  async function upload<Shown>(
    order: Order,
    urls: readonly string[],
    show: ShowFiles<Shown>,
  ): Promise<Shown> {
    const fetched: FetchedResult[] = []
    let bytesMax = UPLOAD_BYTES_MAX
    try {
      for (const url of urls) {
        const result = await fetchResult(url, { kind: order.kind, bytesMax, guard, signal })
        fetched.push(result)
        bytesMax -= result.file.bytes
      }
      return await showUploads(order, fetched, show)
    } finally {
      await Promise.all(fetched.map(({ file }) => file.close()))
    }
  }

  async function showUploads<Shown>(
    order: Order,
    fetched: readonly FetchedResult[],
    show: ShowFiles<Shown>,
  ): Promise<Shown> {
    const uploads = await Promise.all(
      fetched.map(async ({ type, file }, index) => {
        const { media, extension } = type
        const ordinal = fetched.length > 1 ? `-${index + 1}` : ''
        const fileName = `${FILE_NAMES[order.kind]}-${order.id}${ordinal}.${extension}`
        const clip = media === 'video' ? await readMp4Facts(file) : undefined
        const head = media === 'image' && (await file.readAt(0, PICTURE_HEAD_BYTES))
        const size = head ? readImageSize(head) : undefined
        const source = { bytes: file.read, fileName }
        const as = (shown: ShownAs) => toOutgoing(order, { type: shown, source, index, clip })
        return { type, bytes: file.bytes, size, as }
      }),
    )
    const [best = [], ...others] = waysToShow(uploads)
    const showAs = (types: readonly ShownAs[]) =>
      show(uploads.map(({ as }, index) => as(types[index] ?? 'document')))
    try {
      return await showAs(best)
    } catch (error) {
      const [documents] = others
      if (documents === undefined || !(error instanceof MediaRefusedError)) throw error
      return showAs(documents)
    }
  }
}

export type ResultGiving = ReturnType<typeof createResultGiving>
