import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PageRefusal } from '../../platform/http/page-refusal.ts'
import type { FileKind, FileStore, StoredFile } from '../world/files.ts'

/** The most that clients of Telegram may send. */
const FOLDER_BYTES_MAX = 2_000 * 1024 * 1024
/** The bound where there is no folder and a file is held in memory. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024

type UploadFiles = Pick<FileStore, 'add' | 'takeOver' | 'incomingFolder'>

/** How many bytes a person may send in one file. */
export function fileBytesMax({ incomingFolder }: Pick<FileStore, 'incomingFolder'>): number {
  return incomingFolder === undefined ? MEMORY_BYTES_MAX : FOLDER_BYTES_MAX
}

/**
 * Takes in a file that is on its way, into the folder of the playground or into memory.
 *
 * @throws {PageRefusal} 413. Of a file that does not come whole nothing is kept.
 */
export async function takeUpload(
  body: Readable,
  facts: { kind: FileKind; fileName: string; mime: string },
  files: UploadFiles,
): Promise<StoredFile> {
  const { incomingFolder } = files
  const bytesMax = fileBytesMax(files)
  if (incomingFolder === undefined) {
    const bytes = Buffer.concat(await Array.fromAsync(limited(body, bytesMax)))
    return files.add({ ...facts, bytes })
  }
  const path = join(incomingFolder, randomUUID())
  const target = createWriteStream(path, { mode: 0o600 })
  try {
    await pipeline(body, (source: AsyncIterable<Buffer>) => limited(source, bytesMax), target)
    return files.takeOver({ ...facts, path, size: target.bytesWritten })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function* limited(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > bytesMax) throw tooLarge(bytesMax)
    yield piece
  }
}

/** @throws {PageRefusal} 413 for a file that says so itself, before any of it is read. */
export function checkUploadLength(contentLength: string | undefined, bytesMax: number): void {
  if (Number(contentLength) > bytesMax) throw tooLarge(bytesMax)
}

function tooLarge(bytesMax: number): PageRefusal {
  return new PageRefusal(413, `The file is larger than ${bytesMax / 1024 / 1024} MiB`)
}
