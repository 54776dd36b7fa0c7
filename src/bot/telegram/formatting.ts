import type { Logger } from 'pino'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { errorFacts, isTelegramError } from './errors.ts'

/** Format of a model's text; `auto` is rich only if the content needs it, `none` is plain text. */
export type MessageFormat = 'rich' | 'auto' | 'entities' | 'none'

/** One odd beginning of a reply shall not cost all of it its formatting. */
const INTERIM_REFUSALS_MAX = 3
const BAD_REQUEST = 400
/** After this time an upgrade of the server is noticed. */
const ASK_AGAIN_MS = 3_600_000

export interface FormattingDeps {
  richSupport: RichSupport
  log: Logger
}

/** Chooses the format that the chat wants and Telegram accepts. Delivery beats formatting. */
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
 * Shows something in the wanted format, or in the best that Telegram accepts, down to plain text.
 *
 * @throws The error of `show` if another format would not help.
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
