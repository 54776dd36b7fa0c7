import type { Logger } from 'pino'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { errorFacts, isTelegramError } from './errors.ts'

/**
 * How a model's text looks: in rich messages, in these only where its content needs them (`auto`), as a text with
 * entities, or as its plain words.
 */
export type MessageFormat = 'rich' | 'auto' | 'entities' | 'none'

/** One odd beginning of a reply shall not cost all of it its formatting. */
const INTERIM_REFUSALS_MAX = 3
const BAD_REQUEST = 400
/** A server that is brought up to date is noticed by then. */
const ASK_AGAIN_MS = 3_600_000

export interface FormattingDeps {
  richSupport: RichSupport
  log: Logger
}

/**
 * Chooses how a text is formatted: as its chat wants it and as well as Telegram takes it. Delivery beats formatting.
 */
export function createFormatting({ richSupport, log }: FormattingDeps, wanted: AnswerFormat) {
  let current: MessageFormat | undefined
  let interimRefusals = 0
  return { current: choose, refused }

  function choose(): MessageFormat {
    current ??= wanted !== 'plain' && richSupport.isExpected() ? wanted : 'entities'
    return current
  }

  /** @throws The error, if other formatting would not help. */
  function refused(error: unknown, { isInterim }: { isInterim: boolean }): void {
    const formatting = choose()
    if (formatting === 'none') throw error
    if (isTelegramError(error, 'formatting_refused')) {
      const { isUnsupported = false, isForbidden = false } = error.facts
      if (isUnsupported) richSupport.markMissing()
      const isLasting = isUnsupported || isForbidden
      if (isInterim && !isLasting && ++interimRefusals < INTERIM_REFUSALS_MAX) return
      interimRefusals = 0
      current = formatting === 'entities' ? 'none' : 'entities'
    } else if (isUnknownRefusal(error)) current = 'none'
    else throw error
    log.warn({ ...errorFacts(error), formatting, instead: current }, 'formatting refused')
  }
}

/**
 * Shows something formatted as its chat wants it, as well as Telegram takes it.
 *
 * @param show Asked for each format until none is refused, down to plain words.
 * @throws What it threw, where other formatting would not help.
 */
export async function inBestFormat<T>(
  deps: FormattingDeps,
  wanted: AnswerFormat,
  show: (format: MessageFormat) => Promise<T>,
): Promise<T> {
  const formatting = createFormatting(deps, wanted)
  for (;;) {
    try {
      return await show(formatting.current())
    } catch (error) {
      formatting.refused(error, { isInterim: false })
    }
  }
}

function isUnknownRefusal(error: unknown): boolean {
  return isTelegramError(error, 'call_refused') && error.facts.status === BAD_REQUEST
}

/** Knows whether the Bot API server takes rich messages, or the entities of times, as far as this process has seen. */
export interface RichSupport {
  isExpected(): boolean
  markMissing(): void
}

export function createRichSupport(clock: Clock): RichSupport {
  let missingUntil = Number.NEGATIVE_INFINITY
  return {
    isExpected: () => clock.now() >= missingUntil,
    markMissing: () => {
      missingUntil = clock.now() + ASK_AGAIN_MS
    },
  }
}
