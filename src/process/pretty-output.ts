import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'

/** Characters that may command a terminal, in a text that a provider or a customer wrote: they are shown as codes. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * Sets the JSON lines of the log for a person: the time, the level, the message, its fields, and an error below them.
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
    ignore: 'pid,hostname',
    singleLine: true,
    customPrettifiers: { time: (time) => String(time) },
  })
  return { write: (line) => output.write(set(JSON.parse(line, toVisible))) }
}

function toVisible(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
