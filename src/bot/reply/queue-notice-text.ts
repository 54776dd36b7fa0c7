import type { Texts } from '../locales/texts.ts'
import type { QueuePosition } from '../queue/service-queue.ts'

const STEP_MS = 10_000
const MINUTE_MS = 60_000

/** What the chat shows of a turn that waits: its position and, roughly, its wait. */
export function toQueueNotice(
  { position, waitMs }: QueuePosition,
  { texts, languageCode }: { texts: Texts; languageCode: string | undefined },
): string {
  const steps = Math.max(Math.ceil(waitMs / STEP_MS), 1)
  const wait =
    steps * STEP_MS < MINUTE_MS
      ? texts.t(languageCode, 'reply-wait-seconds', { count: (steps * STEP_MS) / 1000 })
      : texts.t(languageCode, 'reply-wait-minutes', {
          count: Math.max(Math.round(waitMs / MINUTE_MS), 1),
        })
  return texts.t(languageCode, 'reply-queued', { position, wait })
}
