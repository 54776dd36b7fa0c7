import type { WireAnswer } from '../answer.ts'
import type { Customer } from '../customer.ts'
import type { Wire } from '../wire.ts'

export const VIDEO_PATH = 'videos/vidgen-generate'
export const VIDEO = { prompt: 'A kopeck rolls down a hill', aspect_ratio: '1280:720' }
const PROMPT_CHARS_MAX = 5000

/**
 * Requests for clips with several wrong fields each: three a minute are allowed, and a refusal lists all fields that
 * are wrong.
 */
export const WRONG_CLIPS = [
  { duration: '5', quality: '480p', image_url: 'here', aspect_ratio: '1:1' },
  { prompt: '', duration: 7 },
  { ...VIDEO, prompt: 'x'.repeat(PROMPT_CHARS_MAX + 1), quality: '1080p', duration: 10 },
] as const satisfies readonly Record<string, unknown>[]

/** The refusals in the same order, and the balance around them. */
export interface WrongClips {
  answers: WireAnswer[]
  before: bigint | undefined
  after: bigint | undefined
}

/** Asks for the wrong clips, alone with the balance. */
export async function askWrongClips(
  wire: Pick<Wire, 'ask'>,
  account: Customer,
): Promise<WrongClips> {
  return await account.alone(async () => {
    const before = await account.readBalance()
    const answers: WireAnswer[] = []
    for (const body of WRONG_CLIPS) {
      answers.push(await wire.ask({ method: 'POST', path: `/${VIDEO_PATH}`, body }))
    }
    return { answers, before, after: await account.readBalance() }
  })
}
