import type { ScratchFile } from './fetch-result.ts'

/** The size and the length of a video, as its player shows them. */
export interface VideoFacts {
  width: number
  height: number
  durationSeconds: number
}

/** A file of more boxes side by side than this is not worth the reading. */
const BOXES_MAX = 100
const SIDE_MAX = 10_000
const DURATION_S_MAX = 86_400

interface Box {
  type: string
  body: number
  end: number
}

/**
 * Reads the size and the length of a video from the boxes of its MP4, wherever they stand in the file.
 *
 * @returns Undefined where they are missing, or nonsense.
 * @see ISO/IEC 14496-12, 8.2.2 and 8.3.2
 */
export async function readMp4Facts(
  file: Pick<ScratchFile, 'bytes' | 'readAt'>,
): Promise<VideoFacts | undefined> {
  const whole = { body: 0, end: file.bytes }
  for await (const moov of boxesIn(whole, 'moov')) {
    const durationSeconds = await readDuration(moov)
    const size = await readSize(moov)
    if (durationSeconds !== undefined && size) return { ...size, durationSeconds }
  }
  return undefined

  async function readDuration(moov: Box): Promise<number | undefined> {
    for await (const { body } of boxesIn(moov, 'mvhd')) {
      const head = await file.readAt(body, 32)
      if (head.length < 32) return undefined
      const isWide = head.readUInt8(0) === 1
      const timescale = head.readUInt32BE(isWide ? 20 : 12)
      const duration = isWide ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16)
      const seconds = Math.max(1, Math.round(duration / timescale))
      return seconds <= DURATION_S_MAX ? seconds : undefined
    }
    return undefined
  }

  async function readSize(moov: Box): Promise<{ width: number; height: number } | undefined> {
    for await (const trak of boxesIn(moov, 'trak')) {
      for await (const { body } of boxesIn(trak, 'tkhd')) {
        const head = await file.readAt(body, 96)
        const matrix = head.length === 96 && head.readUInt8(0) === 1 ? 52 : 40
        if (head.length < matrix + 44) continue
        const width = head.readUInt32BE(matrix + 36) >>> 16
        const height = head.readUInt32BE(matrix + 40) >>> 16
        const isFit = Math.min(width, height) > 0 && Math.max(width, height) <= SIDE_MAX
        // A video that was filmed upright lies on its side and says that it is to be turned.
        const isTurned = head.readInt32BE(matrix) === 0
        if (isFit) return isTurned ? { width: height, height: width } : { width, height }
      }
    }
    return undefined
  }

  async function* boxesIn({ body, end }: Pick<Box, 'body' | 'end'>, type: string) {
    let position = body
    for (let count = 0; count < BOXES_MAX && position + 8 <= end; count++) {
      const head = await file.readAt(position, 16)
      if (head.length < 8) return
      const field = head.readUInt32BE(0)
      const isLarge = field === 1 && head.length === 16
      const size = isLarge ? Number(head.readBigUInt64BE(8)) : field || end - position
      const headBytes = isLarge ? 16 : 8
      if (size < headBytes) return
      const box: Box = {
        type: head.toString('latin1', 4, 8),
        body: position + headBytes,
        end: Math.min(position + size, end),
      }
      if (box.type === type) yield box
      position += size
    }
  }
}
