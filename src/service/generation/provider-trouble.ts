import type { FastifyBaseLogger } from 'fastify'
import type { ProviderRefusal } from '../providers/failure.ts'
import { type FailureKind, type ProviderFailure, toFailureLine } from '../providers/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { LeasedTask } from './tasks.ts'

/** A failure to begin work, with the labels of its metric. */
export interface CountedFailure {
  model: string
  upstream: string
  kind: FailureKind
}

export interface ProviderTroubleDeps {
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  onProviderFailed: (failure: CountedFailure) => void
  onProviderRefused: (refusal: ProviderRefusal) => void
}

/** Logs and counts failures of a provider to create, and remembers them for the next creations. */
export function createProviderTrouble({
  log,
  onProviderFailed,
  onProviderRefused,
}: ProviderTroubleDeps) {
  return { recordFailed, recordAway, recordRefused, recordUnanswered }

  function recordFailed(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider did not begin the work')
  }

  function recordAway(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    if (failure.kind === 'unreachable' || failure.status === 503) {
      endpoint.availability.away(failure)
    }
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider busy or away, tried again')
  }

  function recordRefused(task: LeasedTask, endpoint: Endpoint, failure: ProviderFailure): void {
    endpoint.availability.refused(failure)
    count(endpoint, failure)
    log.error(
      lineOf(task, endpoint, failure),
      'provider takes no work: the reason is for you to mend',
    )
    const { path, upstream, availability } = endpoint
    onProviderRefused({ endpoint: path, upstream, failure, workedAt: availability.workedAt() })
  }

  function recordUnanswered(
    task: LeasedTask,
    endpoint: Endpoint | undefined,
    failure: ProviderFailure,
  ): void {
    if (endpoint === undefined) return
    count(endpoint, failure)
    log.warn(lineOf(task, endpoint, failure), 'provider did not answer for its work, asked again')
  }

  function count({ path: model, upstream }: Endpoint, { kind }: ProviderFailure): void {
    onProviderFailed({ model, upstream, kind })
  }
}

export type ProviderTrouble = ReturnType<typeof createProviderTrouble>

function lineOf(
  { id: taskId, accountId }: LeasedTask,
  { path, upstream }: Endpoint,
  failure: ProviderFailure,
) {
  return toFailureLine({ endpoint: path, upstream, accountId, taskId }, failure)
}
