/** Writes bits, the first of a byte the highest, and the numbers of H.264 (ITU-T H.264, 7.2 and 9.1). */
export function createBitWriter() {
  const pieces: Uint8Array[] = []
  let bytes: number[] = []
  let byte = 0
  let used = 0
  const writer = { u, ue, se, align, raw, end }
  return writer

  /** A number in so many bits. */
  function u(value: number, bits: number) {
    for (let bit = bits - 1; bit >= 0; bit--) {
      byte = (byte << 1) | ((value >> bit) & 1)
      used += 1
      if (used === 8) flush()
    }
    return writer
  }

  /** A number from 0, the shorter the smaller. */
  function ue(value: number) {
    const bits = 31 - Math.clz32(value + 1)
    return u(0, bits).u(value + 1, bits + 1)
  }

  /** The same of a number with a sign. */
  function se(value: number) {
    return ue(value > 0 ? 2 * value - 1 : -2 * value)
  }

  /** Fills the byte up with zeros. */
  function align() {
    return used === 0 ? writer : u(0, 8 - used)
  }

  /** Whole bytes, at the beginning of one. They are not copied. */
  function raw(given: Uint8Array) {
    pieces.push(Uint8Array.from(bytes), given)
    bytes = []
    return writer
  }

  /** Ends what was written, as a unit ends: a one, then zeros. */
  function end(): Buffer {
    u(1, 1).align()
    return Buffer.concat([...pieces, Uint8Array.from(bytes)])
  }

  function flush(): void {
    bytes.push(byte)
    byte = 0
    used = 0
  }
}
