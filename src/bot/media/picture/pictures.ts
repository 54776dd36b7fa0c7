import { atMost } from '../../../platform/time/at-most.ts'
import type { FileDownload } from '../../telegram/download-file.ts'
import { judgeBytes, judgeFacts, type PictureProblem } from './judge-picture.ts'
import {
  hashOfPictureToken,
  makePictureToken,
  tokenOfPictureUrl,
  toPictureUrl,
} from './picture-token.ts'
import type { GivenPicture } from './read-picture.ts'
import type { StoredPictures } from './stored-pictures.ts'

/** In memory at once, each of up to 20 MB. */
const FETCHES_MAX = 4

export type PictureOffer =
  /**
   * The service finds the picture at `imageUrl` for two hours; once it is ordered, for as long as its order
   * may need it.
   */
  | { status: 'offered'; imageUrl: string }
  | { status: PictureProblem }
  /** The service is elsewhere and cannot reach this process. */
  | { status: 'no_public_url' }
  | { status: 'one_of_several' }
  /** Telegram does not have it, or does not give it now. */
  | { status: 'gone' }

export interface PicturesDeps {
  /** Where the service finds this process, without a slash at the end; undefined where it cannot just now. */
  findRoot: () => string | undefined
  stored: Pick<StoredPictures, 'keep' | 'refill' | 'findFile'>
  download: FileDownload['download']
  signal: AbortSignal
}

/**
 * Pictures that users sent, for the service to fetch: copied, and served at an address that nobody can
 * guess (docs/bot.md#pictures).
 */
export function createPictures({ findRoot, stored, download, signal }: PicturesDeps) {
  const fetchInTurn = atMost(FETCHES_MAX)
  return { offer, offerAgain }

  /** Copies a user's picture and serves it. To be called when it is ordered, not long before. */
  async function offer(
    picture: GivenPicture,
    { userId }: { userId: number },
  ): Promise<PictureOffer> {
    const root = findRoot()
    if (root === undefined) return { status: 'no_public_url' }
    if (picture.type !== 'picture') return { status: picture.type }
    const problem = judgeFacts(picture)
    if (problem !== undefined) return { status: problem }
    const { fileId } = picture
    const token = makePictureToken()
    const refused = await fetchInto(fileId, (fetched) =>
      stored.keep(hashOfPictureToken(token), { userId, fileId, ...fetched }),
    )
    return refused ?? { status: 'offered', imageUrl: toPictureUrl(root, token) }
  }

  /** Serves the picture of an earlier order for another one. An address that is not ours stays as it is. */
  async function offerAgain(url: string): Promise<PictureOffer> {
    const token = tokenOfPictureUrl(url)
    if (token === undefined) return { status: 'offered', imageUrl: url }
    const root = findRoot()
    if (root === undefined) return { status: 'no_public_url' }
    const tokenHash = hashOfPictureToken(token)
    const known = await stored.findFile(tokenHash)
    if (known === undefined) return { status: 'gone' }
    const refused = known.isServed
      ? undefined
      : await fetchInto(known.fileId, ({ bytes }) => stored.refill(tokenHash, bytes))
    return refused ?? { status: 'offered', imageUrl: toPictureUrl(root, token) }
  }

  /** @returns Why there is nothing to keep; undefined once it was kept. */
  function fetchInto(
    fileId: string,
    keep: (fetched: { bytes: Buffer; contentType: string }) => Promise<void>,
  ): Promise<Exclude<PictureOffer, { status: 'offered' }> | undefined> {
    return fetchInTurn(async () => {
      const downloaded = await download(fileId, { signal })
      if (downloaded.status !== 'ok') return downloaded
      const { bytes } = downloaded
      const judged = judgeBytes(bytes)
      if ('problem' in judged) return { status: judged.problem }
      await keep({ bytes, ...judged })
      return undefined
    })
  }
}

export type Pictures = ReturnType<typeof createPictures>
