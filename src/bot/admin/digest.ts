import type { Logger } from 'pino'
import type { RoleHolder, Roles } from '../people/roles.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendPictured } from '../telegram/shortcuts.ts'
import { type Texts, toLanguage } from '../texts/texts.ts'
import type { AlertSettings } from './alert-settings.ts'
import { createDigestDays, type DigestDaysPrisma } from './digest-days.ts'
import { type DigestFacts, type DigestFactsDeps, readDigestFacts } from './digest-facts.ts'
import { writeDigest } from './digest-text.ts'

export interface DigestDeps extends DigestFactsDeps {
  prisma: DigestFactsDeps['prisma'] & DigestDaysPrisma
  settings: Pick<AlertSettings, 'read'>
  roles: Pick<Roles, 'holders'>
  pictures: Pick<SpendPictures, 'ofAll'>
  outbox: Pick<Outbox, 'send' | 'sendMedia'>
  texts: Texts
  log: Logger
}

interface Message {
  text: string
  picture: Uint8Array | undefined
}

class DigestSentError extends Error {
  override readonly name = 'DigestSentError'
}

/** Sends admins and viewers once a day what was spent, at the hour that admins set, by TIME_ZONE. */
export function createDigest(deps: DigestDeps) {
  const { prisma, settings, roles, pictures, outbox, texts, reports, readOutlook, timeZone, log } =
    deps
  const days = createDigestDays(prisma)
  return { sendIfDue }

  /** Sends it to those who have none of today; after a sleep through the hour, later on the same day. */
  async function sendIfDue(signal: AbortSignal): Promise<void> {
    const { digestHour } = await settings.read()
    const { day, hour } = await days.readNow(timeZone)
    // An hour that a change of clocks leaves out is past in the next one.
    if (digestHour === undefined || hour < digestHour) return
    const reached = await days.readReached(day)
    const readers = (await roles.holders()).filter(({ userId }) => !reached.has(userId))
    if (readers.length === 0) return
    const facts = await readDigestFacts({ prisma, reports, readOutlook, timeZone })
    if (facts === undefined) return
    const messages = createMessages(facts)
    await Promise.all(
      readers.map(async (reader) => {
        const message = await messages.of(reader)
        await send(reader, message, { day, signal })
      }),
    )
  }

  function createMessages(facts: DigestFacts) {
    const made = new Map<string, Promise<Message>>()
    return { of }

    function of({ languageCode }: RoleHolder): Promise<Message> {
      const language = toLanguage(languageCode)
      const message = made.get(language) ?? make(language)
      made.set(language, message)
      return message
    }

    async function make(languageCode: string): Promise<Message> {
      const text = writeDigest(facts, { texts, languageCode })
      return { text, picture: await pictures.ofAll(languageCode) }
    }
  }

  async function send(
    { userId }: RoleHolder,
    message: Message,
    { day, signal }: { day: string; signal: AbortSignal },
  ): Promise<void> {
    const onAttempt = async () => {
      if (!(await days.begin(userId, day))) throw new DigestSentError('Cannot send digest: sent')
    }
    const onNothingSent = () => days.takeBack(userId, day)
    const options = { signal, onAttempt, onNothingSent }
    try {
      await sendPictured(outbox, { chatId: userId, ...message }, options)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DigestSentError) return
      // Who cannot be reached is not tried again today.
      if (error instanceof ChatUnreachableError) await days.begin(userId, day)
      log.warn({ ...errorFacts(error), userId }, 'digest maybe not sent')
    }
  }
}

export type Digest = ReturnType<typeof createDigest>
