import { createHash } from 'node:crypto'
import { findRepeatedNames, ONCE } from '../../platform/http/repeated-names.ts'
import { readText as readUtf8 } from '../../platform/read-text.ts'
import { findFieldProblems, parseServiceConfig, type ServiceConfig } from './service-config.ts'

const DIGEST_CHARS = 12
/** V8 names the position of most mistakes. It quotes the text there, so its words are not repeated. */
const POSITION = / at position (\d+)/

/** Reads the text of a file. @throws What the system says. */
export type ReadText = (path: string) => string

/** The problems: of a field by its path, of the file itself in a sentence. */
interface Wrong {
  ok: false
  problems: string[]
}

/** The config of a file, and the digest of its bytes. */
export type ReadServiceConfig = { ok: true; config: ServiceConfig; digest: string } | Wrong

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
  const parsed = parseServiceConfig(file.json, env)
  return parsed.ok ? { ...parsed, digest: file.digest } : parsed
}

/** Says what is wrong with the file itself. Whether there are the keys that it names is for others to say. */
export function checkServiceFile(path: string): { ok: true; digest: string } | Wrong {
  const file = readJsonFile(path, readUtf8)
  if (!file.ok) return file
  const problems = findFieldProblems(file.json)
  return problems.length > 0 ? { ok: false, problems } : file
}

function readJsonFile(
  path: string,
  readText: ReadText,
): { ok: true; json: unknown; digest: string } | Wrong {
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
    return problems.length > 0
      ? { ok: false, problems }
      : { ok: true, json, digest: toDigest(text) }
  } catch (error) {
    const position = toPosition((error as SyntaxError).message, text)
    return { ok: false, problems: [`the file "${path}" should be JSON${position}`] }
  }
}

/** A short name of a text: processes with the same one sell by the same config. */
export function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS)
}

function toPosition(message: string, text: string): string {
  const position = POSITION.exec(message)?.[1]
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return `: look at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}
