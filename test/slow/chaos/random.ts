import { createHash } from 'node:crypto'

/** Choices that are the same each time for the same seed. */
export interface Random {
  chance(probability: number): boolean
  /** A whole number, both ends included. */
  integer(min: number, max: number): number
  pick<T>(list: readonly T[]): T
}

/** Makes a row of choices; different seeds have nothing in common. */
export function createRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  return { chance: (probability) => fraction() < probability, integer, pick }

  function integer(min: number, max: number): number {
    return min + Math.floor(fraction() * (max - min + 1))
  }

  function pick<T>(list: readonly T[]): T {
    const picked = list[integer(0, list.length - 1)]
    if (picked === undefined) throw new RangeError('Cannot pick: the list is empty')
    return picked
  }

  /** Mulberry32: small, and even enough for choices. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
