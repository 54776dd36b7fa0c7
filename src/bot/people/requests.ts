import type { Logger } from 'pino'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/send.ts'
import { markInstant } from '../texts/dates.ts'
import type { Texts } from '../texts/texts.ts'
import {
  type AdmissionDecision,
  type Admissions,
  type Applicant,
  type DecisionOutcome,
  type NewAdmissionDecision,
  requestName,
} from './admissions.ts'
import { createOneByOne } from './one-by-one.ts'
import type { AdminRequest, RequestCopies } from './request-copies.ts'
import { languageOf } from './users.ts'

export interface AccessRequestsDeps {
  admissions: Admissions
  copies: RequestCopies
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  settings: { timeZone: string }
  log: Logger
  onBlocked: (userId: number) => Promise<void>
  now: () => Promise<Date>
}

/** The callback data of a press under an admin's copy of a request. */
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
 * no copy of a request get one, and a user who has not heard of a decision is notified.
 */
export function createAccessRequests(deps: AccessRequestsDeps) {
  const { admissions, copies, outbox, texts, settings, log, onBlocked, now } = deps
  const ofOneUser = createOneByOne<number>()
  return {
    ask,
    decide: (given: NewAdmissionDecision) => settle(given, admissions.decide),
    set: (given: NewAdmissionDecision) => settle(given, admissions.set),
    showDecision: (userId: number) => ofOneUser(userId, () => show(userId)),
    describeDecision,
  }

  function ask(userId: number): Promise<{ isNew: boolean; user: Applicant | null }> {
    return ofOneUser(userId, async () => {
      const isNew = await admissions.ask(userId, await now())
      const user = await admissions.read(userId)
      if (user?.admission === 'requested') await copies.send(requestOf(user))
      return { isNew, user }
    })
  }

  function settle(
    given: NewAdmissionDecision,
    write: Admissions['decide'],
  ): Promise<{ outcome: DecisionOutcome; user: Applicant | null }> {
    return ofOneUser(given.userId, async () => {
      const outcome = await write(given, await now())
      return { outcome, user: await show(given.userId) }
    })
  }

  /** Notifies the user of a decision, shows it to the admins, and ends the work of a blocked user. Safe to repeat. */
  async function show(userId: number): Promise<Applicant | null> {
    const user = await admissions.read(userId)
    if (user !== null) await Promise.all([notifyUser(user), closeCopies(user)])
    if (user?.admission === 'blocked') await onBlocked(userId)
    return user
  }

  async function describeDecision(
    user: Applicant,
    languageCode: string | undefined,
  ): Promise<string> {
    return describe(user, await copies.nameOfAdmin(user.admissionById), languageCode)
  }

  function describe(
    { admission, admissionAt }: Applicant,
    admin: string,
    languageCode: string | undefined,
  ): string {
    if (admission === null || admission === 'requested' || admissionAt === null) return ''
    return texts.t(languageCode, DECIDED[admission], {
      admin,
      at: markInstant(admissionAt, { languageCode, timeZone: settings.timeZone }),
    })
  }

  function requestOf(user: Applicant): AdminRequest {
    return {
      name: requestName(user.id),
      userId: user.id,
      describe: (languageCode) => describeRequest(user, languageCode),
      buttons: (languageCode) => [
        BUTTONS.map(([verb, key]) => ({
          text: texts.t(languageCode, key),
          callback_data: `access:${verb}:${user.id}`,
        })),
      ],
    }
  }

  /** A user who is blocked hears nothing any more, not even that. */
  async function notifyUser(user: Applicant): Promise<void> {
    const { id, admission, admissionToldAt } = user
    if (admissionToldAt !== null || (admission !== 'allowed' && admission !== 'refused')) return
    const key = admission === 'allowed' ? 'access-allowed' : 'access-refused'
    try {
      await outbox.send({ chatId: Number(id), text: texts.t(languageOf(user), key) })
    } catch (error) {
      log.info(
        { ...errorFacts(error), userId: String(id) },
        'user maybe not notified of a decision on access',
      )
    }
    await admissions.noteTold(id, await now())
  }

  async function closeCopies(user: Applicant): Promise<void> {
    const { admission } = user
    if (admission === null || admission === 'requested') return
    const admin = await copies.nameOfAdmin(user.admissionById)
    await copies.close({
      ...requestOf(user),
      describeDecision: (languageCode) => describe(user, admin, languageCode),
    })
  }

  function describeRequest(user: Applicant, languageCode: string | undefined): string {
    const { id, firstName: name, username } = user
    return texts.t(languageCode, 'access-request', {
      name: username === null ? name : `${name} (@${username})`,
      id: String(id),
      language: user.languageCode ?? '–',
    })
  }
}

export type AccessRequests = ReturnType<typeof createAccessRequests>
