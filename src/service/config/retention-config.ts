import { type Static, Type } from 'typebox'

const DAYS_MAX = 36_500

const days = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: DAYS_MAX,
    description: `a whole number of days from 1 to ${DAYS_MAX}`,
  }),
)

/** How long is kept what the service can do without. What is not named is kept for ever. */
export const RetentionConfig = Type.Object(
  {
    callback_attempts_days: days,
    /** The rows of holds, after they have ended. Their entries stay. */
    holds_days: days,
    /** The files of tasks, after they have succeeded. Links to them lead nowhere then. */
    media_days: days,
  },
  {
    additionalProperties: false,
    description: 'an object with callback_attempts_days, holds_days and media_days',
  },
)
export type RetentionConfig = Static<typeof RetentionConfig>
