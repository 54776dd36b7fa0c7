import { BotError, GrammyError, HttpError } from 'grammy'
import { toReason } from './telegram/failures.ts'

/** What a log may know of an error. */
export interface ErrorFacts {
  error: string
  code?: string
  message?: string
  at?: string[]
}

const FRAMES_MAX = 5

/**
 * Describes an error without what people wrote: grammY's errors carry the whole call, those of the
 * database quote their arguments. Only messages of our own errors, which hold none, are kept.
 */
export function errorFacts(thrown: unknown): ErrorFacts {
  const error = thrown instanceof BotError ? thrown.error : thrown
  if (!(error instanceof Error)) return { error: typeof error }
  const { code, stack } = error as Error & { code?: unknown }
  const frames = (stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  const message = messageOf(error)
  return {
    error: error.name,
    ...(typeof code === 'string' && { code }),
    ...(message !== undefined && { message }),
    ...(frames.length > 0 && { at: frames.slice(0, FRAMES_MAX).map((line) => line.trim()) }),
  }
}

/** Ours begin with what could not be done and hold no texts. */
function messageOf(error: Error): string | undefined {
  if (error instanceof GrammyError) {
    return `${error.method}: ${error.error_code} ${toReason(error.description)}`
  }
  if (error instanceof HttpError) return error.message
  return error.message.startsWith('Cannot ') ? error.message : undefined
}
