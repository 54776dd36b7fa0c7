import { randomInt } from 'node:crypto'

/** `npm run chaos` looks long, at random; `npm test` looks at one short seed. */
export const IS_LONG = process.env.CHAOS === 'long'

/** CHAOS_SEED repeats what users write and what goes wrong in a run; the race between them is new each time. */
export const SEED = process.env.CHAOS_SEED ?? (IS_LONG ? String(randomInt(1_000_000)) : 'short')

/** How a run that failed is repeated. */
export const REPEAT = `To repeat: CHAOS_SEED=${SEED}${IS_LONG ? ' CHAOS=long' : ''}`
