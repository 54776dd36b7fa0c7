import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { recordChange } from '../change-log.ts'
import type { AccessSettings } from './access.ts'
import type { ShowRole } from './show-role.ts'
import { createTries } from './tries.ts'

/** Every start prints a code of its own; of so many starts the last codes are good. */
const CODES_KEPT = 10
/** Letters and digits that are not taken for each other: 60 bits are far more than can be guessed. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARS = 12
const GROUP_CHARS = 4

const CODE = new RegExp(`^[${SIGNS}]{${CODE_CHARS}}$`)

export interface FirstAdminDeps {
  prisma: PrismaClient
  settings: Pick<AccessSettings, 'adminIds'>
  showRole: ShowRole
  clock: Pick<Clock, 'now'>
}

/**
 * The way in for the operator of a bot without an admin: a code that the start prints, and that makes who sends it
 * the first one.
 *
 * All processes know every code by its hash. Codes are good until an admin is there, and of each sender a few
 * wrong ones are looked at, no more.
 */
export function createFirstAdmin({ prisma, settings, showRole, clock }: FirstAdminDeps) {
  const tries = createTries(clock)
  return { offer, claim }

  /** @returns A code that is kept nowhere, for the reader of what the start prints; undefined where an admin is there. */
  async function offer(): Promise<string | undefined> {
    if (await hasAdmin(prisma)) {
      await prisma.adminCode.deleteMany()
      return undefined
    }
    const code = makeAdminCode()
    const codeHash = new Uint8Array(hashOfAdminCode(code) ?? [])
    await prisma.adminCode.create({ data: { codeHash } })
    await prisma.$executeRaw`
      DELETE FROM bot.admin_code WHERE code_hash NOT IN (
        SELECT code_hash FROM bot.admin_code ORDER BY created_at DESC LIMIT ${CODES_KEPT})`
    return code
  }

  /** Safe to repeat: a sentence that a crash prevented is sent then. */
  async function claim(userId: number, typed: string): Promise<boolean> {
    const codeHash = hashOfAdminCode(typed)
    if (codeHash === undefined || tries.waitMsOf(String(userId)) > 0) return false
    const isTaken = await prisma.$transaction((tx) => take(tx, { userId, codeHash }))
    if (isTaken || (await isUnnotified(userId))) return showRole(userId)
    tries.noteFailure(String(userId))
    return false
  }

  /** Invariant: of those who bring a code, be they several with several, one is made an admin. All codes are held, and go with it. */
  async function take(
    tx: Prisma.TransactionClient,
    { userId, codeHash }: { userId: number; codeHash: Buffer },
  ): Promise<boolean> {
    const held = await tx.$queryRaw<{ codeHash: Uint8Array }[]>`
      SELECT code_hash AS "codeHash" FROM bot.admin_code ORDER BY code_hash FOR UPDATE`
    const good = held.filter((one) => timingSafeEqual(one.codeHash, codeHash))
    if (good.length === 0 || (await hasAdmin(tx))) return false
    await tx.adminCode.deleteMany()
    await tx.user.update({ where: { id: userId }, data: { role: 'admin', isRoleUntold: true } })
    const made = { adminId: userId, what: 'role', subjectId: userId } as const
    await recordChange(tx, { ...made, before: null, after: 'admin' })
    return true
  }

  async function isUnnotified(id: number): Promise<boolean> {
    return (await prisma.user.count({ where: { id, role: 'admin', isRoleUntold: true } })) > 0
  }

  async function hasAdmin(reader: Pick<Prisma.TransactionClient, 'user'>): Promise<boolean> {
    if (settings.adminIds.size > 0) return true
    return (
      (await reader.user.findFirst({ where: { role: 'admin' }, select: { id: true } })) !== null
    )
  }
}

export type FirstAdmin = ReturnType<typeof createFirstAdmin>

/** Makes a code for the first admin, in groups of signs: "K7QF-2M9X-WD4T". */
export function makeAdminCode(): string {
  const signs = Array.from({ length: CODE_CHARS }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return signs.match(new RegExp(`.{${GROUP_CHARS}}`, 'g'))?.join('-') ?? signs
}

/**
 * Hashes a code, by which it is kept and known however it was typed: in small letters, without its dashes, with
 * an O for the zero.
 *
 * @returns Undefined for what cannot be a code.
 */
export function hashOfAdminCode(typed: string): Buffer | undefined {
  const signs = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return CODE.test(signs) ? createHash('sha256').update(signs).digest() : undefined
}
