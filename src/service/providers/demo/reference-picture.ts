import { readBody } from '../../../platform/http/exchange.ts'
import { FileRefusedError, fetchFile } from '../../../platform/http/fetch-file.ts'
import type { UrlGuard } from '../../../platform/http/find-target.ts'
import { type ImageSize, readImageSize } from '../../../platform/http/image-size.ts'
import { ProviderError } from '../provider.ts'

const PICTURE_BYTES_MAX = 20 * 1024 * 1024
const FETCH_MS_MAX = 30_000
const TAKEN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg'])

/**
 * Fetches the picture that a clip is to be made from, whole, and reads its size.
 *
 * @returns Undefined if it is not a PNG or JPEG, has no size or may not be fetched.
 * @throws {ProviderError} If the picture does not come now.
 */
export async function measureReferencePicture(
  url: string,
  { guard, signal }: { guard: UrlGuard; signal: AbortSignal },
): Promise<ImageSize | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS_MAX)])
  const rules = { media: 'image', bytesMax: PICTURE_BYTES_MAX, guard, signal: bounded } as const
  try {
    return await fetchFile(url, rules, async ({ type, bytes }) =>
      TAKEN.has(type.contentType)
        ? readImageSize(await readBody(bytes, PICTURE_BYTES_MAX))
        : undefined,
    )
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof FileRefusedError) return undefined
    throw new ProviderError('unavailable', 'The reference image did not come.', { cause })
  }
}
