/**
 * So long our bot waits with each text for a forward that it may be the comment of
 * (`src/bot/telegram/inbox/joined-updates.ts`): one question, one bill. A user waits for that, too, so that it is in every
 * figure from the update on.
 */
export const FORWARD_MS = 200
