const HEADER_BYTES = 44
const SAMPLE_BYTES = 2
const PCM = 1
const MONO = 1

/** Writes a WAV file of one channel, 16-bit PCM. */
export function writeWav({
  samples,
  samplesPerSecond,
}: {
  samples: Int16Array
  samplesPerSecond: number
}): Uint8Array {
  const dataBytes = samples.length * SAMPLE_BYTES
  const file = Buffer.alloc(HEADER_BYTES + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(PCM, 20)
  file.writeUInt16LE(MONO, 22)
  file.writeUInt32LE(samplesPerSecond, 24)
  file.writeUInt32LE(samplesPerSecond * SAMPLE_BYTES, 28)
  file.writeUInt16LE(SAMPLE_BYTES, 32)
  file.writeUInt16LE(8 * SAMPLE_BYTES, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  for (let index = 0; index < samples.length; index++) {
    file.writeInt16LE(samples[index] ?? 0, HEADER_BYTES + index * SAMPLE_BYTES)
  }
  return file
}
