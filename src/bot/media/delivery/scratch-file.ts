import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE_BYTES = 64 * 1024

/** A file that has no name, so that it ends with this process, in every case. */
export interface ScratchFile {
  readonly bytes: number
  read(): AsyncIterable<Uint8Array<ArrayBuffer>>
  readAt(position: number, bytes: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Keeps bytes on disk, in the system's folder for such files (`TMPDIR`), instead of in memory.
 *
 * @throws What the pieces or the disk threw. Nothing is left of the file then.
 */
export async function writeScratchFile(pieces: AsyncIterable<Uint8Array>): Promise<ScratchFile> {
  const path = join(tmpdir(), `kopeck-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    // From here on only this process knows it, and no crash can leave it behind.
    await unlink(path)
    await handle.writeFile(pieces)
    const { size: bytes } = await handle.stat()
    return { bytes, read, readAt, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }

  async function* read() {
    for (let position = 0; ; ) {
      // Its reader may hold on to a piece, so each has memory of its own.
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
      const { bytesRead } = await handle.read(piece, 0, piece.length, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  }

  async function readAt(position: number, bytes: number): Promise<Buffer> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  }
}
