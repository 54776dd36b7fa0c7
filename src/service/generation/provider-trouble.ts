import type { FastifyBaseLogger } from 'fastify'
import { type FailureKind, type ProviderFailure, toFailureLine } from '../providers/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { LeasedTask } from './tasks.ts'

/** One failure to begin work, as it is counted. */
export interface CountedFailure {
  /** The creation endpoint's path: what a model's id is for chats. */
  model: string
  upstream: string
  kind: FailureKind
}

export interface ProviderTroubleDeps {
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** Called each time that a provider did not begin work. */
  onProviderFailed: (failure: CountedFailure) => void
  /** Called each time that it did not for a reason that the operator can mend. */
  onProviderRefused: () => void
}

/** Tells the operator what became of creations at a provider, and remembers it for the next ones. */
export function createProviderTrouble(deps: ProviderTroubleDeps) {
  const { log, onProviderFailed, onProviderRefused } = deps
  return { noteFailed, noteAway, noteRefused, noteUntold }

  /** This one creation failed, which says nothing about others. */
  function noteFailed(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider did not begin the work')
  }

  /** The provider is busy or away. One that is busy with others, or failed at this one, may take the next. */
  function noteAway(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    if (failure.kind === 'unreachable' || failure.status === 503) {
      endpoint.availability.away(failure)
    }
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider busy or away, tried again')
  }

  /** The provider refuses every creation until the operator has mended the reason. */
  function noteRefused(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    endpoint.availability.refused(failure)
    count(endpoint, failure)
    log.error(
      lineOf(task, endpoint, failure),
      'provider takes no work: the reason is for you to mend',
    )
    onProviderRefused()
  }

  /** It does not tell how work stands that it has begun. */
  function noteUntold(
    task: LeasedTask,
    endpoint: Endpoint | undefined,
    failure: ProviderFailure,
  ): void {
    if (endpoint === undefined) return
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider did not tell of its work, asked again')
  }

  function count({ path: model, upstream }: Endpoint, { kind }: ProviderFailure): void {
    onProviderFailed({ model, upstream, kind })
  }
}

function lineOf(
  { id: taskId, accountId }: LeasedTask,
  { path, upstream }: Endpoint,
  failure: ProviderFailure,
) {
  return toFailureLine({ endpoint: path, upstream, accountId, taskId }, failure)
}
