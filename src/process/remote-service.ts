import type { Logger } from 'pino'
import type { Trouble } from '../bot/admin/alerts.ts'
import { readBalance, readModels } from '../contract/client/read-answers.ts'
import { AnswerTooLongError, type Exchange } from '../platform/http/http-client.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { listModels } from '../service/config/openai/list-models.ts'
import { toExplanation } from '../service/providers/explanation.ts'
import { readBreak } from '../service/providers/failure.ts'
import {
  createProviderHttp,
  type ProviderAccess,
  readJson,
} from '../service/providers/provider-http.ts'

/** Trouble with a remote service. `unavailable`: it answers that it cannot now. */
export type ServiceProblem = 'openai' | 'key' | 'unreachable' | 'unavailable' | 'no_service'

export interface RemoteTrouble {
  problem: ServiceProblem
  sentence: string
}

export type ServiceAccess = ProviderAccess & { apiKey: string }

/** A list of models is far below it. */
const ANSWER_BYTES_MAX = 10 * 2 ** 20

const START_MS_MAX = 5_000
const TRY_MS_MAX = 30_000
const AGAIN_MS = 30_000

interface ProblemWords {
  alert: Trouble
  /** The words of `/healthz`. A service that is away has another reason there. */
  reason?: string
  /** The sentence of the start. HOST and ROOT stand for the service's own. */
  sentence: string
}

const PROBLEMS: Readonly<Record<ServiceProblem, ProblemWords>> = {
  openai: {
    alert: 'service_is_openai',
    reason: "SERVICE_URL speaks OpenAI's API",
    sentence:
      "SERVICE_URL: HOST speaks OpenAI's API: set OPENAI_BASE_URL and OPENAI_API_KEY instead of SERVICE_URL and SERVICE_API_KEY",
  },
  key: {
    alert: 'unauthorized',
    reason: 'the service refuses SERVICE_API_KEY',
    sentence: 'SERVICE_API_KEY: HOST refuses this key; set the key that its operator issued',
  },
  unreachable: {
    alert: 'service_unavailable',
    sentence:
      'SERVICE_URL: nobody answers at ROOT; is the address right, and does the service run?',
  },
  unavailable: {
    alert: 'service_unavailable',
    sentence: 'SERVICE_URL: HOST does not list its models now',
  },
  no_service: {
    alert: 'not_this_service',
    reason: 'SERVICE_URL is no service with this interface',
    sentence:
      'SERVICE_URL: the server at ROOT is no service with this interface; is the address right?',
  },
}

/** Tries a remote service at the start, and again every 30 s until it answers as the interface has it. */
export function createServiceTrial({
  ask,
  alertAdmins,
  onAnswering,
  log,
  clock = systemClock,
}: {
  ask: (signal: AbortSignal) => Promise<RemoteTrouble | undefined>
  alertAdmins: (trouble: Trouble) => void
  onAnswering: () => void
  log: Pick<Logger, 'info' | 'error'>
  clock?: Pick<Clock, 'sleep'>
}) {
  const stopping = new AbortController()
  const { signal } = stopping
  let trouble: RemoteTrouble | undefined
  let trying: Promise<void> | undefined
  return { begin, findReason: () => trouble && PROBLEMS[trouble.problem].reason, stop }

  async function begin(): Promise<RemoteTrouble | undefined> {
    await attempt(START_MS_MAX)
    if (trouble === undefined) return undefined
    log.error({ problem: trouble.problem }, trouble.sentence)
    trying = keepTrying()
    return trouble
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await trying
  }

  async function keepTrying(): Promise<void> {
    while (trouble !== undefined) {
      // `stop()` aborts the wait, which is no error.
      await clock.sleep(AGAIN_MS, signal).catch(() => {})
      if (signal.aborted) return
      await attempt(TRY_MS_MAX)
    }
    if (signal.aborted) return
    log.info('the service answers')
    onAnswering()
  }

  async function attempt(msMax: number): Promise<void> {
    trouble = await ask(AbortSignal.any([signal, AbortSignal.timeout(msMax)]))
    if (trouble === undefined || signal.aborted) return
    const { alert, reason } = PROBLEMS[trouble.problem]
    // A service that starts beside this process may be there at the next try. Alerts repeat at most once an hour.
    if (reason !== undefined || trying !== undefined) alertAdmins(alert)
  }
}

/** Asks a remote service for its models, or else its balance. @returns What is wrong, if anything is. */
export async function tryService(
  access: ServiceAccess,
  signal: AbortSignal,
): Promise<RemoteTrouble | undefined> {
  const { baseUrl, apiKey } = access
  const http = createProviderHttp(access, { accept: 'application/json' })
  const unspeakable = { secrets: [apiKey], texts: [] }
  const get = (path: string) => http({ method: 'GET', path, bytesMax: ANSWER_BYTES_MAX, signal })

  const models = await get('chats/models')
  if (models.outcome !== 'answered') {
    if (models.cause instanceof AnswerTooLongError) return toTrouble('no_service', baseUrl)
    return toTrouble('unreachable', baseUrl, readBreak(models.cause, unspeakable).explanation)
  }
  if (isRead(models, readModels)) return undefined
  const said = [models.status, toExplanation(models.body, unspeakable)].join(' ').trim()
  if (isPassing(models.status)) return toTrouble('unavailable', baseUrl, said)
  // Where models stand is not shown in the interface; the balance is.
  if (isRead(await get('balance'), readBalance)) return undefined
  const list = await listModels(access, signal)
  const isRefused = models.status >= 401 && models.status <= 403
  const isOpenAi = list.ok || (!isRefused && list.trouble.kind === 'unauthorized')
  if (isOpenAi) return toTrouble('openai', baseUrl)
  return toTrouble(isRefused ? 'key' : 'no_service', baseUrl, said)
}

function isRead(exchange: Exchange, reader: (json: unknown) => unknown): boolean {
  if (exchange.outcome !== 'answered' || exchange.status !== 200) return false
  return reader(readJson(exchange)) !== undefined
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function toTrouble(problem: ServiceProblem, baseUrl: string, said = ''): RemoteTrouble {
  const { host } = new URL(baseUrl)
  const sentence = PROBLEMS[problem].sentence.replace('HOST', host).replace('ROOT', baseUrl)
  return { problem, sentence: said === '' ? sentence : `${sentence} (${said})` }
}
