import { findRepeatedNames, ONCE } from '../../platform/http/repeated-names.ts'
import { readText as readUtf8 } from '../../platform/read-text.ts'
import { parseServiceConfig, type ServiceConfig } from './service-config.ts'

/** V8 names the position of most mistakes. It quotes the text there, so its words are not repeated. */
const POSITION = / at position (\d+)/

/** Reads the text of a file. @throws What the system says. */
export type ReadText = (path: string) => string

interface Wrong {
  ok: false
  problems: string[]
}

export type ReadServiceConfig = { ok: true; config: ServiceConfig } | Wrong

/**
 * Reads the file that SERVICE_CONFIG names.
 *
 * @param env Where the keys are that the file names.
 */
export function readServiceFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  readText: ReadText = readUtf8,
): ReadServiceConfig {
  const file = readJsonFile(path, readText)
  if (!file.ok) return file
  return parseServiceConfig(file.json, env)
}

function readJsonFile(path: string, readText: ReadText): { ok: true; json: unknown } | Wrong {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    return { ok: false, problems: [`cannot read the file "${path}" (${code})`] }
  }
  try {
    const json: unknown = JSON.parse(text)
    const problems = findRepeatedNames(text).map((path) => `${path}: ${ONCE}`)
    return problems.length > 0 ? { ok: false, problems } : { ok: true, json }
  } catch (error) {
    const position = toPosition((error as SyntaxError).message, text)
    return { ok: false, problems: [`the file "${path}" should be JSON${position}`] }
  }
}

function toPosition(message: string, text: string): string {
  const position = POSITION.exec(message)?.[1]
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return `: look at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}
