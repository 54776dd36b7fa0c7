import type { Logger } from 'pino'
import type { PrismaClient } from '../../database/generated/client.ts'
import { formatInstant } from '../dates.ts'
import type { Texts } from '../locales/texts.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { languageOf } from '../users.ts'
import type {
  AdmissionDecision,
  Admissions,
  Applicant,
  NewAdmissionDecision,
} from './admissions.ts'
import type { RoleHolder, Roles } from './roles.ts'

export interface AccessRequestsDeps {
  prisma: Pick<PrismaClient, 'user'>
  admissions: Admissions
  outbox: Pick<Outbox, 'send' | 'edit'>
  texts: Texts
  roles: Pick<Roles, 'admins'>
  settings: { timeZone: string }
  log: Logger
  /** By the database's clock. */
  now: () => Promise<Date>
}

/** What a press under an admin's copy of a request says. */
export const DECIDE_DATA = /^access:(allow|refuse|block):(\d{1,15})$/

const BUTTONS = [
  ['allow', 'access-allow'],
  ['refuse', 'access-refuse'],
  ['block', 'access-block'],
] as const

const DECIDED: Readonly<Record<AdmissionDecision, string>> = {
  allowed: 'access-decided-allowed',
  refused: 'access-decided-refused',
  blocked: 'access-decided-blocked',
}

/**
 * Requests for access and what admins decide about them.
 *
 * What a crash left undone is done when its press is handled again: the admins who have
 * no copy of a request get one, and a decision that the user has not heard of is told.
 */
export function createAccessRequests(deps: AccessRequestsDeps) {
  const { prisma, admissions, roles, outbox, texts, settings, log, now } = deps
  const ofOneUser = createOneByOne<number>()
  return {
    ask,
    /** Takes an admin's decision on a request. @returns The user as they are now, also where another admin decided. */
    decide: (given: NewAdmissionDecision) => settle(given, admissions.decide),
    /** Takes an admin's decision whether there is a request or not. */
    set: (given: NewAdmissionDecision) => settle(given, admissions.set),
    describeDecision,
  }

  /** Passes a user's wish on to every admin. @returns The user as they stand now, and whether they ask anew. */
  function ask(userId: number): Promise<{ isNew: boolean; user: Applicant | null }> {
    return ofOneUser(userId, async () => {
      const isNew = await admissions.ask(userId, await now())
      const user = await admissions.read(userId)
      if (user?.admission === 'requested') await tellAdmins(user)
      return { isNew, user }
    })
  }

  function settle(
    given: NewAdmissionDecision,
    write: Admissions['decide'],
  ): Promise<{ isDecided: boolean; user: Applicant | null }> {
    return ofOneUser(given.userId, async () => {
      const isDecided = await write(given, await now())
      const user = await admissions.read(given.userId)
      if (user !== null) await Promise.all([tellUser(user), updateNotices(user)])
      return { isDecided, user }
    })
  }

  /** Who decided what and when, for an admin. */
  async function describeDecision(
    user: Applicant,
    languageCode: string | undefined,
  ): Promise<string> {
    const { admission, admissionById, admissionAt } = user
    if (admission === null || admission === 'requested' || admissionAt === null) return ''
    const admin = admissionById && (await prisma.user.findUnique({ where: { id: admissionById } }))
    return texts.t(languageCode, DECIDED[admission], {
      admin: admin ? admin.firstName : String(admissionById ?? ''),
      at: formatInstant(admissionAt, { languageCode, timeZone: settings.timeZone }),
    })
  }

  async function tellAdmins(user: Applicant): Promise<void> {
    const told = new Set(user.accessNotices.map(({ adminId }) => Number(adminId)))
    const untold = (await roles.admins()).filter(({ userId }) => !told.has(userId))
    await Promise.all(
      untold.map((admin) =>
        showRequest(admin, user).catch((error: unknown) => {
          // An admin who never wrote to the bot cannot be reached by it.
          log.warn(
            { ...errorFacts(error), adminId: admin.userId },
            'admin not told of a request for access',
          )
        }),
      ),
    )
  }

  async function showRequest(
    { userId: adminId, languageCode }: RoleHolder,
    user: Applicant,
  ): Promise<void> {
    const buttons = BUTTONS.map(([verb, key]) => ({
      text: texts.t(languageCode, key),
      callback_data: `access:${verb}:${user.id}`,
    }))
    const { messageId } = await outbox.send({
      chatId: adminId,
      text: describeRequest(user, languageCode),
      keyboard: { inline_keyboard: [buttons] },
    })
    await admissions.addNotice({ userId: user.id, adminId, messageId })
  }

  /** A user who is blocked hears nothing any more, not even that. */
  async function tellUser(user: Applicant): Promise<void> {
    const { id, admission, admissionToldAt } = user
    if (admissionToldAt !== null || (admission !== 'allowed' && admission !== 'refused')) return
    const key = admission === 'allowed' ? 'access-allowed' : 'access-refused'
    try {
      await outbox.send({ chatId: Number(id), text: texts.t(languageOf(user), key) })
    } catch (error) {
      log.info({ ...errorFacts(error), userId: String(id) }, 'decision on access maybe not told')
    }
    await admissions.noteTold(id, await now())
  }

  /** Has every admin's copy show the decision instead of the buttons. */
  async function updateNotices(user: Applicant): Promise<void> {
    const { id: userId, admission, accessNotices } = user
    if (admission === null || admission === 'requested') return
    await Promise.all(
      accessNotices.map(async ({ adminId, messageId }) => {
        const languageCode = await languageOfAdmin(Number(adminId))
        const decision = await describeDecision(user, languageCode)
        const text = `${describeRequest(user, languageCode)}\n\n${decision}`
        try {
          await outbox.edit({ chatId: Number(adminId), messageId }, text)
        } catch (error) {
          log.info(
            { ...errorFacts(error), adminId: String(adminId) },
            'request not brought up to date',
          )
        }
        await admissions.removeNotice({ userId, adminId })
      }),
    )
  }

  function describeRequest(user: Applicant, languageCode: string | undefined): string {
    const { id, firstName: name, username } = user
    return texts.t(languageCode, 'access-request', {
      name: username === null ? name : `${name} (@${username})`,
      id: String(id),
      language: user.languageCode ?? '–',
    })
  }

  async function languageOfAdmin(adminId: number): Promise<string | undefined> {
    const admin = await prisma.user.findUnique({ where: { id: adminId } })
    return admin === null ? undefined : languageOf(admin)
  }
}

export type AccessRequests = ReturnType<typeof createAccessRequests>

/** Has the tasks of one key run after each other; those of different keys do not wait. */
function createOneByOne<Key>() {
  const lasts = new Map<Key, Promise<unknown>>()
  return function oneByOne<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = lasts.get(key) ?? Promise.resolve()
    const result = before.then(task)
    const last = result
      .catch(() => {}) // Its caller has the error.
      .finally(() => {
        if (lasts.get(key) === last) lasts.delete(key)
      })
    lasts.set(key, last)
    return result
  }
}
