/** One request for a view, and the context of the page. */
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { UserRole } from '../../../platform/database/generated/enums.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Access, AccessSettings } from '../../people/access.ts'
import type { PageDecisions } from '../../people/access-requests.ts'
import type { createTries } from '../../people/tries.ts'
import type { Outlook, ServiceBalance } from '../../spend/balance.ts'
import { formatMoney } from '../../spend/format.ts'
import type { Limits } from '../../spend/limits.ts'
import type { Reports } from '../../spend/reports.ts'
import type { StoredSettings } from '../../stored-settings.ts'
import { formatInstant } from '../../texts/dates.ts'
import type { Language, Texts, TextVariables } from '../../texts/texts.ts'
import type { Html } from './html.ts'

export interface PageAddress {
  url: string
  /** `telegram`: https, or a playground of this machine; `browser`: http; `here`: only the machine of the bot. */
  opensIn: 'telegram' | 'browser' | 'here'
}

/** The parts of the bot that the page shows and changes, by the same operations as the commands. */
export interface PageParts {
  prisma: PrismaClient
  texts: Texts
  botToken: string
  address: PageAddress
  settings: AccessSettings & { timeZone: string }
  access: Access
  decisions: PageDecisions
  reports: Reports
  limits: Limits
  balance: ServiceBalance
  storedSettings: StoredSettings
  clock: Pick<Clock, 'now'>
}

export interface AdminPage extends PageParts {
  tries: ReturnType<typeof createTries>
  /** Returns the service's balance, at most ten seconds old; undefined if it cannot be read. */
  readOutlook(): Promise<Outlook | undefined>
}

export interface Visitor {
  userId: number
  name: string
  role: UserRole
  language: Language
  token: string
}

/** The problems of a form: sentences by the names of its fields; '' is the whole form. */
export type Problems = Readonly<Record<string, string>>

/** A view: its content, and the operation of its forms. */
export interface View {
  show(visit: Visit): Promise<Html>
  /** Carries out a form. Stores nothing if it returns any problem. */
  save?(visit: Visit, fields: URLSearchParams): Promise<Problems>
}

interface SentForm {
  fields: URLSearchParams
  problems: Problems
}

type Filters = Readonly<Record<string, string | number | bigint | undefined>>

export class Visit {
  readonly page: AdminPage
  readonly visitor: Visitor
  readonly language: Language
  /** Such as `users/101`. */
  readonly path: string
  readonly query: URLSearchParams
  sent: SentForm | undefined
  status = 200

  constructor(page: AdminPage, visitor: Visitor, url: string) {
    const { pathname, searchParams } = new URL(url, 'http://page')
    this.page = page
    this.visitor = visitor
    this.language = visitor.language
    this.path = pathname.replace(/^.*?\/view\//, '')
    this.query = searchParams
  }

  get canChange(): boolean {
    return this.visitor.role === 'admin'
  }

  t(key: string, variables?: TextVariables): string {
    return this.page.texts.t(this.language, key, variables)
  }

  money(microRub: bigint): string {
    return formatMoney(microRub, this.language)
  }

  instant(at: Date): string {
    const { timeZone } = this.page.settings
    return formatInstant(at, { languageCode: this.language, timeZone })
  }

  refused(form: string): SentForm | undefined {
    return this.status === 422 && this.sent?.fields.get('form') === form ? this.sent : undefined
  }

  isSaved(form: string): boolean {
    return this.status !== 422 && this.sent?.fields.get('form') === form
  }

  /** Returns the address of this view with other filters; omits empty filters. */
  href(change: Filters): string {
    return hrefOf(this.path, { ...Object.fromEntries(this.query), ...change })
  }
}

/** Returns the address of a view, such as `#/users/7?span=30d`. */
export function hrefOf(path: string, query: Filters = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(
    set.map(([name, value]): [string, string] => [name, String(value)]),
  )
  return set.length > 0 ? `#/${path}?${search}` : `#/${path}`
}

/** A refused request: its status, and the key of the reader's sentence. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused'
  readonly statusCode: number
  readonly key: string
  readonly retryAfterMs: number

  constructor(statusCode: number, key: string, retryAfterMs = 0) {
    super(`Refused with ${statusCode}`)
    this.statusCode = statusCode
    this.key = key
    this.retryAfterMs = retryAfterMs
  }
}
