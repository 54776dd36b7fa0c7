/** A clip as a player sees it, read from its boxes with nothing but ISO/IEC 14496-12 in mind. */
export interface Mp4File {
  boxes: string[]
  codec: string
  width: number
  height: number
  durationSeconds: number
  /** 66, 77 and 100 (baseline, main, high) are 8-bit 4:2:0, which every player knows. */
  profile: number
  frameBytes: number[]
  keyFrames: number[]
}

/** Reads a file with one video track. */
export function readMp4(bytes: Uint8Array): Mp4File {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const top = children(view, 0, bytes.length)
  const stbl = ['trak', 'mdia', 'minf', 'stbl'].reduce(
    (box, type) => find(view, box, type),
    pick(top, 'moov'),
  )
  const mvhd = find(view, pick(top, 'moov'), 'mvhd').body
  const tkhd = find(view, find(view, pick(top, 'moov'), 'trak'), 'tkhd')
  const stsd = find(view, stbl, 'stsd').body
  const sampleEntry = pick(children(view, stsd + 8, find(view, stbl, 'stsd').end), 'avc1')
  const avcc = pick(children(view, sampleEntry.body + 78, sampleEntry.end), 'avcC')
  const stsz = find(view, stbl, 'stsz').body
  const wide = view.getUint8(mvhd) === 1
  return {
    boxes: top.map(({ type }) => type),
    codec: readType(view, stsd + 12),
    width: view.getUint32(tkhd.end - 8) / 0x10000,
    height: view.getUint32(tkhd.end - 4) / 0x10000,
    durationSeconds: wide
      ? Number(view.getBigUint64(mvhd + 24)) / view.getUint32(mvhd + 20)
      : view.getUint32(mvhd + 16) / view.getUint32(mvhd + 12),
    profile: view.getUint8(avcc.body + 1),
    frameBytes: readNumbers(view, stsz + 8),
    keyFrames: readNumbers(view, find(view, stbl, 'stss').body + 4),
  }
}

interface Box {
  type: string
  body: number
  end: number
}

function children(view: DataView, start: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = start; at < end; ) {
    const size = view.getUint32(at)
    if (size < 8 || at + size > end) throw new RangeError(`Cannot read MP4: bad box at ${at}`)
    boxes.push({ type: readType(view, at + 4), body: at + 8, end: at + size })
    at += size
  }
  return boxes
}

function find(view: DataView, parent: Box, type: string): Box {
  return pick(children(view, parent.body, parent.end), type)
}

function pick(boxes: Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type)
  if (found === undefined) throw new RangeError(`Cannot read MP4: no ${type}`)
  return found
}

function readType(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
}

function readNumbers(view: DataView, at: number): number[] {
  return Array.from({ length: view.getUint32(at) }, (_, index) =>
    view.getUint32(at + 4 + index * 4),
  )
}
