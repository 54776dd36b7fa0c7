import type { TObject } from 'typebox'
import type { FieldProblem } from '../../contract/chat.ts'
import { toModelName } from '../../contract/tasks.ts'
import { compileSchema } from '../../platform/guard.ts'
import type { Media } from '../../platform/http/media-type.ts'
import { dropRepeated, toFieldProblems } from '../field-problems.ts'
import type { TaskFailure } from '../ledger/tasks.ts'
import type { ProviderFailure } from '../providers/failure.ts'
import { ProviderHealth } from '../providers/health.ts'
import type {
  GenerationProvider,
  GenerationState,
  GenerationStep,
  ProviderOperation,
} from '../providers/provider.ts'
import { toRoot } from '../providers/provider-http.ts'

const COOL_DOWN_MS = 30_000
export const NOT_THERE: TaskFailure = {
  code: 503,
  message: 'The provider could not be reached in time.',
}
/** The provider refuses for reasons that are between it and the operator. */
export const NOT_TAKEN: TaskFailure = { code: 502, message: 'The provider takes no work now.' }

/** The reason why a creation would fail, and the time until it is worth asking again; missing where it never is. */
export interface KnownRefusal extends TaskFailure {
  retryAfterMs?: number
}

/** One kind of generation: how its body is checked and what its results are. */
export interface Kind<Params extends object> {
  /** Path below the version, such as `videos/vidgen-generate`. Stored with each task. */
  path: string
  /** The schema of an object; its lengths count code points. Fields it does not name are ignored. */
  schema: TObject
  /** The rules the schema cannot say. Also called with a body the schema refuses, if it is an object. */
  findProblems?(params: Params): FieldProblem[]
  label(params: Params): string
  media: Media
  /** True if the end of a task is sent to its `X-Callback-Url`; the default is true. */
  deliversCallbacks?: boolean
}

/** The operator's settings for one kind of generation. */
export interface Offer<Params extends object> {
  /** The prices by label; one without a price is not on offer. */
  pricesMicroRub: ReadonlyMap<string, bigint>
  deadlineMs: number
  creationMs: number
  provider: GenerationProvider<Params>
  upstream: string
  providerUrl?: string | undefined
}

/** An endpoint without the type of its params: the routes and the visits treat all alike. */
export interface Endpoint {
  path: string
  model: string
  schema: TObject
  media: Media
  pricesMicroRub: ReadonlyMap<string, bigint>
  providerUrl: string | undefined
  upstream: string
  /** The provider of the work: the root of its API, or its name. The stored operation of a task names it. */
  maker: string
  availability: Availability
  deadlineMs: number
  creationMs: number
  deliversCallbacks: boolean
  read(body: unknown): FieldProblem[] | { params: object; label: string; priceMicroRub: bigint }
  start(params: unknown, key: string): Promise<ProviderOperation>
  check(operation: ProviderOperation, step: GenerationStep): Promise<GenerationState>
}

/** Makes the endpoint of one kind of generation. */
export function createEndpoint<Params extends object>(
  kind: Kind<Params>,
  { provider, providerUrl, upstream, pricesMicroRub, deadlineMs, creationMs }: Offer<Params>,
): Endpoint {
  const { path, schema, media, deliversCallbacks = true } = kind
  const maker = providerUrl === undefined ? upstream : toMaker(new URL(providerUrl))
  const validate = compileSchema(schema, { allErrors: true })
  const availability = createAvailability()
  return {
    path,
    model: toModelName(path),
    schema,
    media,
    deliversCallbacks,
    pricesMicroRub,
    deadlineMs,
    creationMs,
    upstream,
    providerUrl,
    maker,
    availability,
    read,
    start,
    check,
  }

  function read(body: unknown) {
    const problems = findAllProblems(body)
    if (problems.length > 0) return problems
    const params = pickKnown(schema, body as Params)
    const label = kind.label(params)
    const priceMicroRub = pricesMicroRub.get(label)
    if (priceMicroRub === undefined) {
      return [{ loc: ['body'], msg: `"${label}" is not on offer: it has no price` }]
    }
    return { params, label, priceMicroRub }
  }

  function findAllProblems(body: unknown): FieldProblem[] {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return [{ loc: ['body'], msg: 'must be an object' }]
    }
    const refused = validate(body) === true ? [] : toFieldProblems(validate.errors ?? [], 'body')
    const untied = kind.findProblems?.(body as Params) ?? []
    return dropRepeated([...refused, ...findUnstorable(pickKnown(schema, body)), ...untied])
  }

  async function start(params: unknown, key: string): Promise<ProviderOperation> {
    if (validate(params) !== true) {
      throw new TypeError(`Cannot start task of ${path}: its stored params are damaged`)
    }
    return sign(await provider.start(params as Params, key))
  }

  async function check(
    { maker: _, ...operation }: ProviderOperation,
    step: GenerationStep,
  ): Promise<GenerationState> {
    return await provider.check(operation, { ...step, save: (next) => step.save(sign(next)) })
  }

  function sign(operation: ProviderOperation): ProviderOperation {
    return { ...operation, maker }
  }
}

type Availability = ReturnType<typeof createAvailability>

/**
 * Remembers whether a provider takes new work, as far as this process has just seen. A creation that would fail is
 * refused before anything is charged for it.
 */
function createAvailability() {
  const health = new ProviderHealth(COOL_DOWN_MS)
  let reason = NOT_THERE
  return {
    taken: () => health.worked(),
    refused: (failure: ProviderFailure) => fail(NOT_TAKEN, failure),
    away: (failure: ProviderFailure) => fail(NOT_THERE, failure),
    findRefusal(): KnownRefusal | undefined {
      const retryAfterMs = health.restMs()
      return retryAfterMs === 0 ? undefined : { ...reason, retryAfterMs }
    },
    workedAt: () => health.workedAt,
  }

  function fail(why: TaskFailure, failure: ProviderFailure): void {
    reason = why
    health.failed(failure)
  }
}

/** Makes the name of a maker from its URL: without a password, and without the slashes at its end. */
function toMaker({ origin, pathname }: URL): string {
  return toRoot(origin + pathname)
}

/** PostgreSQL keeps neither U+0000 nor half of a surrogate pair. */
function findUnstorable(body: object): FieldProblem[] {
  return Object.entries(body)
    .filter(([, value]) => typeof value === 'string' && !isStorable(value))
    .map(([name]) => ({ loc: ['body', name], msg: 'must be whole Unicode text without U+0000' }))
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Picks the fields that the schema names: bodies are flat. */
function pickKnown<Params extends object>({ properties }: TObject, body: Params): Params {
  const known = Object.entries(body).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known) as Params
}
