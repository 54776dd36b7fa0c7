import { createHash, randomInt } from 'node:crypto'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { recordChange } from '../change-log.ts'
import { lockSetting } from '../stored-settings.ts'
import type { OpenTo } from './access.ts'
import type { People } from './people.ts'
import { showRole } from './roles.ts'
import { createTries } from './tries.ts'

/** Every start prints a new code; only the codes of the last starts are valid. */
const CODES_KEPT = 10
/** Unambiguous letters and digits. 60 bits cannot be guessed. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARS = 12
const GROUP_CHARS = 4

const CODE = new RegExp(`^[${SIGNS}]{${CODE_CHARS}}$`)

/** The setting with the hashes of the codes, the latest first. */
const CODES = { name: 'admin_codes', initial: '' }

type Tx = Prisma.TransactionClient

/**
 * Lets the operator of a bot without an admin become the first admin, by a code that the start prints.
 *
 * All processes know every code by its hash. Codes are valid until there is an admin; only a few wrong codes of a
 * sender are checked.
 */
export class FirstAdmin {
  readonly #people: People
  readonly #tries: ReturnType<typeof createTries>

  constructor(people: People) {
    this.#people = people
    this.#tries = createTries(people.clock)
  }

  /** @returns A code that is stored nowhere, for the output of the start; undefined if there is an admin. */
  async offer(): Promise<string | undefined> {
    const code = makeAdminCode()
    const isGood = await this.#people.prisma.$transaction(async (tx) => {
      const hashes = await lockCodes(tx)
      const hasAdmin = await this.#hasAdmin(tx)
      const hash = hashOfAdminCode(code) ?? ''
      await storeCodes(tx, hasAdmin ? [] : [hash, ...hashes].slice(0, CODES_KEPT))
      return !hasAdmin
    })
    return isGood ? code : undefined
  }

  /** Makes the sender of a code the first admin. Safe to repeat: then sends a sentence that a crash prevented. */
  async claim(userId: number, typed: string): Promise<boolean> {
    const { prisma } = this.#people
    const hash = hashOfAdminCode(typed)
    if (hash === undefined || this.#tries.waitMsOf(String(userId)) > 0) return false
    const untold = { id: userId, role: 'admin', isRoleUntold: true } as const
    const isTaken = await prisma.$transaction((tx) => this.#take(tx, userId, hash))
    if (isTaken || (await prisma.user.count({ where: untold })) > 0) {
      return showRole(this.#people, userId)
    }
    this.#tries.noteFailure(String(userId))
    return false
  }

  /** Invariant: only one of several senders becomes admin. The lock holds all codes, which end with it. */
  async #take(tx: Tx, userId: number, hash: string): Promise<boolean> {
    const hashes = await lockCodes(tx)
    if (!hashes.includes(hash) || (await this.#hasAdmin(tx))) return false
    await storeCodes(tx, [])
    await tx.user.update({ where: { id: userId }, data: { role: 'admin', isRoleUntold: true } })
    const made = { adminId: userId, what: 'role', subjectId: userId } as const
    await recordChange(tx, { ...made, before: null, after: 'admin' })
    return true
  }

  async #hasAdmin(tx: Tx): Promise<boolean> {
    if (this.#people.settings.adminIds.size > 0) return true
    return (await tx.user.count({ where: { role: 'admin' } })) > 0
  }
}

async function lockCodes(tx: Tx): Promise<string[]> {
  const stored = await lockSetting(tx, CODES)
  return stored === '' ? [] : stored.split(' ')
}

async function storeCodes(tx: Tx, hashes: readonly string[]): Promise<void> {
  await tx.setting.update({ where: { name: CODES.name }, data: { value: hashes.join(' ') } })
}

/** Makes a code in groups of signs: "K7QF-2M9X-WD4T". */
export function makeAdminCode(): string {
  const signs = Array.from({ length: CODE_CHARS }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return signs.match(new RegExp(`.{${GROUP_CHARS}}`, 'g'))?.join('-') ?? signs
}

/** Hashes a code, however it was typed: in small letters, without dashes, with O for zero; undefined for no code. */
export function hashOfAdminCode(typed: string): string | undefined {
  const signs = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return CODE.test(signs) ? createHash('sha256').update(signs).digest('base64url') : undefined
}

export interface Doors {
  openTo: OpenTo
  /** A code that makes its sender the first admin; undefined if there is an admin. A secret: never log it. */
  adminCode: string | undefined
}

/** Logs who may use the starting bot, and offers a code if it has no admin. */
export async function openDoors(
  { access, log }: Pick<People, 'access' | 'log'>,
  firstAdmin: Pick<FirstAdmin, 'offer'>,
): Promise<Doors> {
  const openTo = access.openTo()
  const adminCode = await firstAdmin.offer()
  log.info({ openTo, hasAdmin: adminCode === undefined }, 'who may talk to the bot')
  return { openTo, adminCode }
}
