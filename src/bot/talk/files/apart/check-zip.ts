import { pipeline } from 'node:stream/promises'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'

const UNPACKED_BYTES_MAX = 50 * 2 ** 20
const ENTRIES_MAX = 5_000

/**
 * Checks that a ZIP is no bomb before anything unpacks it: by the sizes that it declares, in no time, and then by
 * unpacking it, since those may lie. The unpacked bytes are counted and not kept.
 */
export async function checkZip(bytes: Buffer): Promise<'ok' | 'too_heavy' | 'broken'> {
  try {
    const zip = await fromBufferPromise(bytes)
    if (zip.entryCount > ENTRIES_MAX) return 'too_heavy'
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry()) entries.push(entry)
    const declared = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
    if (declared > UNPACKED_BYTES_MAX) return 'too_heavy'
    for (const entry of entries) await unpackIntoNothing(zip, entry)
    return 'ok'
  } catch {
    return 'broken'
  }
}

/** @throws If more is packed than the entry declares, at the first byte too many. */
async function unpackIntoNothing(zip: ZipFile, entry: Entry): Promise<void> {
  const content = await zip.openReadStreamPromise(entry)
  await pipeline(content, async (pieces) => {
    for await (const _piece of pieces) void 0
  })
}
