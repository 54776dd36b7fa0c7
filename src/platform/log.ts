import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

export interface LoggedError {
  type: string
  code?: string
  message?: string
  at?: string[]
  cause?: LoggedError
}

const WRITE_BYTES = 4096
const WAIT_MS_MAX = 200
const FRAMES_MAX = 8
const CAUSES_MAX = 4

const HIDDEN: ReadonlySet<string> = new Set([
  ...['authorization', 'apiKey', 'key', 'token', 'secret', 'headers', 'url', 'query'],
  ...['prompt', 'messages', 'content', 'text', 'body', 'params'],
])
const MASK = '[hidden]'

const SERIALIZERS = {
  err: toLoggedError,
  error: toLoggedError,
  req: ({ method, routeOptions }: FastifyRequest) => ({ method, route: routeOptions?.url }),
  res: ({ statusCode }: FastifyReply) => ({ status: statusCode }),
}

/** A failed call of the system or of the HTTP client; errors `ERR_…` quote their argument. */
const SYSTEM_CODE = /^(E(?!RR_)[A-Z_0-9]+|UND_ERR_[A-Z_]+)$/
const SQL_STATE = /^[0-9A-Z]{5}$/
/** Data exceptions: PostgreSQL quotes the value it does not like. */
const DATA_EXCEPTION = /^22/
/** The messages of the connection pool, whose errors have no class of their own. */
const POOL_MESSAGE = /^(Connection terminated|timeout exceeded when trying to connect)/
/** The Bot API client's error without an answer: it names only the method. */
const HARMLESS_TYPES = new Set(['HttpError'])
/** JavaScript's own errors quote what they could not read: a body, a header, a URL. */
const QUOTING_TYPES = new Set(['SyntaxError', 'TypeError', 'RangeError', 'URIError'])

/** The log of a process: JSON lines without prompts, messages, keys, secrets and queries. */
export function createLog(
  level: LoggerOptions['level'] & string,
  destination?: DestinationStream,
): Logger {
  const options: LoggerOptions = {
    level,
    serializers: {
      ...SERIALIZERS,
      ...Object.fromEntries([...HIDDEN].map((name) => [name, () => MASK])),
    },
    // Pino's own `redact` would be a third of all that a request leaves to the garbage collector.
    formatters: { log: hideInside },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

function hideInside(line: Record<string, unknown>): Record<string, unknown> {
  let shown = line
  for (const name of Object.keys(line)) {
    const value = line[name]
    if (typeof value !== 'object' || value === null || Object.hasOwn(SERIALIZERS, name)) continue
    const hidden = Object.keys(value).filter((inner) => HIDDEN.has(inner))
    if (hidden.length === 0) continue
    const cover = Object.fromEntries(hidden.map((inner) => [inner, MASK]))
    shown = { ...shown, [name]: { ...value, ...cover } }
  }
  return shown
}

/**
 * Returns standard output, written in pieces: a system call for each line costs more than making the line.
 * A crash loses the last lines. If a person reads along (`isWatched`), each line is written at once.
 */
export function openLogOutput({ isWatched = false } = {}): DestinationStream {
  // Synchronous, so that at the end nothing is under way in another thread.
  const output = pino.destination({
    dest: 1,
    sync: true,
    ...(!isWatched && { minLength: WRITE_BYTES, periodicFlush: WAIT_MS_MAX }),
  })
  // Pino handles a pipe that broke. After a terminal was closed, the last lines have no reader either.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EIO') output.write = () => true
    else if (error.code !== 'EPIPE') throw error
  })
  // Unlike flushSync() it throws nothing if the reader has gone.
  process.on('exit', () => output.flush())
  return output
}

/** Characters that may command a terminal: texts of providers and customers show their codes. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/gu

export async function createPrettyOutput(
  output: Pick<DestinationStream, 'write'>,
  options: { colorize?: boolean } = {},
): Promise<DestinationStream> {
  // Only a terminal needs it.
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    ...options,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    singleLine: true,
    customPrettifiers: { time: (time) => String(time) },
  })
  return { write: (line) => output.write(format(JSON.parse(line, toVisible))) }
}

function toVisible(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(CONTROL, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Describes an error and its causes without fields, and only by messages that quote nothing. */
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
    ...toDatabaseCause(thrown),
  }
}

/** PostgreSQL's own words, which Prisma Client keeps beside a message that quotes what it was given. */
function toDatabaseCause(thrown: Error): Pick<LoggedError, 'cause'> | undefined {
  const { driverAdapterError } = (('meta' in thrown && thrown.meta) || {}) as {
    driverAdapterError?: { cause?: { originalCode?: string; originalMessage?: string } }
  }
  const { originalCode: code, originalMessage: message } = driverAdapterError?.cause ?? {}
  if (code === undefined || message === undefined || !SQL_STATE.test(code)) return undefined
  const isFit = !DATA_EXCEPTION.test(code)
  return { cause: { type: 'DatabaseError', code, ...(isFit && { message }) } }
}

function quotesNothing({ name, message }: Error, code: string | undefined): boolean {
  if (QUOTING_TYPES.has(name)) return false
  if (HARMLESS_TYPES.has(name)) return true
  // Ours begin with what could not be done and hold ids at most.
  if (message.startsWith('Cannot ') || POOL_MESSAGE.test(message)) return true
  if (code === undefined) return false
  if (SYSTEM_CODE.test(code)) return true
  return name === 'error' && SQL_STATE.test(code) && !DATA_EXCEPTION.test(code)
}
