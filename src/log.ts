import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

/** What a log line knows of an error. */
export interface LoggedError {
  type: string
  code?: string
  message?: string
  /** Where it was thrown, innermost first. */
  at?: string[]
  cause?: LoggedError
}

const FRAMES_MAX = 8
const CAUSES_MAX = 4

/** Names under which something unfit for a log could be logged by mistake. */
const HIDDEN_NAMES = [
  'authorization',
  'apiKey',
  'key',
  'token',
  'secret',
  'headers',
  'url',
  'query',
]
const HIDDEN_TEXTS = ['prompt', 'messages', 'content', 'text', 'body', 'params']
const HIDDEN = [...HIDDEN_NAMES, ...HIDDEN_TEXTS]

/** A failed call of the system or of the HTTP client; `ERR_…` are mistakes that quote their argument. */
const SYSTEM_CODE = /^(E(?!RR_)[A-Z_0-9]+|UND_ERR_[A-Z_]+)$/
const SQL_STATE = /^[0-9A-Z]{5}$/
/** Data exceptions: PostgreSQL quotes the value it does not like. */
const DATA_EXCEPTION = /^22/
/** Of the connection pool, whose errors have no class of their own. */
const POOL_MESSAGE = /^(Connection terminated|timeout exceeded when trying to connect)/
/** Of the Bot API's client: they name the method and Telegram's reason, and keep what was sent in fields. */
const TELLING_TYPES = new Set(['GrammyError', 'HttpError'])
/** JavaScript's own quote what they could not read: a body, a header, a URL. */
const QUOTING_TYPES = new Set(['SyntaxError', 'TypeError', 'RangeError', 'URIError'])

/**
 * The log of a process: JSON lines in which no prompt, message, key, secret or query has a place.
 *
 * Errors are told by `toLoggedError()`; a request by its method and its route's pattern.
 */
export function createLog(
  level: LoggerOptions['level'] & string,
  destination?: DestinationStream,
): Logger {
  const options: LoggerOptions = {
    level,
    serializers: {
      err: toLoggedError,
      error: toLoggedError,
      req: ({ method, routeOptions }) => ({ method, route: routeOptions?.url }),
      res: ({ statusCode }) => ({ status: statusCode }),
    },
    redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/**
 * Describes an error and its causes without what people wrote or keys that were sent. Fields of an
 * error are left out, and its message too unless it is one that quotes nothing.
 */
export function toLoggedError(thrown: unknown, causes = CAUSES_MAX): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown }
  const { name, stack, cause } = thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  const frames = (stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  return {
    type: name,
    ...(code !== undefined && { code }),
    ...(quotesNothing(thrown, code) && { message: thrown.message }),
    ...(frames.length > 0 && { at: frames.slice(0, FRAMES_MAX).map((line) => line.slice(7)) }),
    ...(cause !== undefined && causes > 0 && { cause: toLoggedError(cause, causes - 1) }),
  }
}

function quotesNothing({ name, message }: Error, code: string | undefined): boolean {
  if (QUOTING_TYPES.has(name)) return false
  if (TELLING_TYPES.has(name)) return true
  // Ours begin with what could not be done and hold ids at most.
  if (message.startsWith('Cannot ') || POOL_MESSAGE.test(message)) return true
  if (code === undefined) return false
  if (SYSTEM_CODE.test(code)) return true
  return name === 'error' && SQL_STATE.test(code) && !DATA_EXCEPTION.test(code)
}
