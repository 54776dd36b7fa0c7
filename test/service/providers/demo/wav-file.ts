/** A sound as a player hears it. */
export interface WavFile {
  durationSeconds: number
  samples: Int16Array
}

/** Reads a WAV file of one channel, 16-bit PCM. @throws {RangeError} If it is none. */
export function readWav(bytes: Uint8Array): WavFile {
  const file = Buffer.from(bytes)
  const tags = [0, 8, 12, 36].map((at) => file.toString('latin1', at, at + 4))
  if (tags.join() !== 'RIFF,WAVE,fmt ,data') throw new RangeError('Cannot read WAV: no WAV')
  if (file.readUInt32LE(4) !== file.length - 8 || file.readUInt32LE(40) !== file.length - 44) {
    throw new RangeError('Cannot read WAV: it says another length')
  }
  const [kind, channels, bits] = [20, 22, 34].map((at) => file.readUInt16LE(at))
  if (kind !== 1 || channels !== 1 || bits !== 16) throw new RangeError('Cannot read WAV: no PCM')
  const perSecond = file.readUInt32LE(24)
  if (file.readUInt32LE(28) !== perSecond * 2 || file.readUInt16LE(32) !== 2) {
    throw new RangeError('Cannot read WAV: it says another rate')
  }
  const samples = Int16Array.from({ length: (file.length - 44) / 2 }, (_, index) =>
    file.readInt16LE(44 + index * 2),
  )
  return { durationSeconds: samples.length / perSecond, samples }
}
