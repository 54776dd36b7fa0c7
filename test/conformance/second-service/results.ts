/** A picture of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The files that tasks end with: small, and whole. */
export const RESULTS = {
  png: { type: 'image/png', bytes: Buffer.from(PNG, 'base64') },
  mp4: { type: 'video/mp4', bytes: boxMp4() },
  mp3: { type: 'audio/mpeg', bytes: playSilence() },
}
export type ResultKind = keyof typeof RESULTS

/** A film of no tracks, five seconds long. */
function boxMp4(): Buffer {
  const header = Buffer.alloc(100)
  header.writeUInt32BE(1000, 12)
  header.writeUInt32BE(5000, 16)
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1')),
    box('moov', box('mvhd', header)),
    box('mdat', Buffer.alloc(64)),
  ])
}

function box(name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + data.byteLength)
  return Buffer.concat([size, Buffer.from(name, 'latin1'), data])
}

/** Ten frames of MPEG 1, layer 3, 128 kbit/s and 44.1 kHz: each is 417 bytes of nothing. */
function playSilence(): Buffer {
  const frame = Buffer.alloc(417)
  frame.writeUInt32BE(0xfffb9064)
  return Buffer.concat(Array.from({ length: 10 }, () => frame))
}
