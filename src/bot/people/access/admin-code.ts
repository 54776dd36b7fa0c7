import { createHash, randomInt } from 'node:crypto'

/** Letters and digits that nobody takes for each other: 60 bits are far more than can be guessed. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARS = 12
const GROUP_CHARS = 4

const CODE = new RegExp(`^[${SIGNS}]{${CODE_CHARS}}$`)

/** Makes a code for the first admin, in groups of signs: "K7QF-2M9X-WD4T". */
export function makeAdminCode(): string {
  const signs = Array.from({ length: CODE_CHARS }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return signs.match(new RegExp(`.{${GROUP_CHARS}}`, 'g'))?.join('-') ?? signs
}

/**
 * What a code is kept and known by, however it was typed: in small letters, without its dashes, with an O for
 * the zero.
 *
 * @returns Undefined for what cannot be a code.
 */
export function hashOfAdminCode(typed: string): Buffer | undefined {
  const signs = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return CODE.test(signs) ? createHash('sha256').update(signs).digest() : undefined
}
