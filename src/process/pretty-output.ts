import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'
import type { LoggedError } from '../platform/log.ts'

/** Characters that may command a terminal, in a text that a provider or a customer wrote: they are shown as codes. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/gu
const PLAIN = /^[^\s"=]+$/

const HIDDEN = ['pid', 'hostname']
const NOT_LISTED = new Set([...HIDDEN, 'level', 'time'])
const LIST_MAX = 6

/**
 * Sets the JSON lines of the log for a person: the time, the level, what happened, then what it is about.
 *
 * Every line that comes here has been serialized and redacted before.
 */
export function createPrettyOutput(
  output: Pick<DestinationStream, 'write'>,
  { colorize }: { colorize?: boolean } = {},
): DestinationStream {
  const set = pretty.prettyFactory({
    ...(colorize !== undefined && { colorize }),
    translateTime: 'SYS:HH:MM:ss',
    ignore: HIDDEN.join(','),
    // The fields are part of the message, errors too.
    hideObject: true,
    errorLikeObjectKeys: [],
    messageFormat: (line, _key, _level, { colors }) => setMessage(line, colors.gray),
    customPrettifiers: { time: (time) => String(time) },
  })
  return { write: (line) => output.write(set(line)) }
}

function setMessage(line: Record<string, unknown>, paint: (text: string) => string): string {
  const { msg = '', err, error, problems, reqId, ...rest } = line
  const fields = Object.entries({ ...rest, reqId })
    .filter(([name, value]) => !NOT_LISTED.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${setValue(value)}`)
  const first = toVisible(String(msg)) + (fields.length > 0 ? paint(`  ${fields.join('  ')}`) : '')
  const below = [
    ...(Array.isArray(problems) ? problems.map((problem) => toVisible(String(problem))) : []),
    ...setError(err ?? error, paint),
  ]
  return [first, ...below.map((text) => `    ${text}`)].join('\n')
}

function setValue(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return toVisible(value)
  if (Array.isArray(value) && value.length > LIST_MAX) {
    return `${setValue(value[0])},…,${setValue(value.at(-1))} (${value.length})`
  }
  const isPlain = (part: unknown) => typeof part === 'string' && PLAIN.test(part)
  if (Array.isArray(value) && value.length > 0 && value.every(isPlain)) {
    return toVisible(value.join(','))
  }
  return toVisible(JSON.stringify(value) ?? String(value))
}

function setError(logged: unknown, paint: (text: string) => string): string[] {
  if (typeof logged !== 'object' || logged === null) return []
  const { type, code, message, at = [], cause } = logged as LoggedError
  const head = [type, code].filter((part) => part !== undefined).join(' ')
  const [first = '', ...rest] = setError(cause, paint)
  return [
    toVisible(message === undefined ? head : `${head}: ${message}`),
    ...at.map((line) => paint(`  at ${toVisible(line)}`)),
    ...(cause === undefined ? [] : [`caused by ${first}`, ...rest]),
  ]
}

function toVisible(text: string): string {
  return text.replace(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
