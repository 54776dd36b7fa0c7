import { MEDIA_KINDS } from '../../../contract/tasks.ts'
import type { MediaRules, MediaRuleValues } from '../../media/rules.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

const PARALLEL_MAX = 100
const DEADLINE_MINUTES_MAX = 24 * 60
const MINUTE_MS = 60_000

interface MediaApp {
  mediaRules: MediaRules
}

/** Shows admins the rules for orders of videos, images and sounds, and changes them. */
export const mediaCommand: CommandDefinition<MediaApp> = {
  name: 'media',
  audience: 'admins',
  about: MEDIA_KINDS,
  usage: '[confirm|parallel|deadline] [value]',
  async handle(app, command) {
    const { argument, user, t, answer } = command
    if (argument !== '') {
      const refusal = await change(app.mediaRules, argument, { adminId: user.id })
      if (refusal !== undefined) return answer(t(...refusal))
    }
    await answer(describe(await app.mediaRules.read(), command))
  },
}

async function change(
  rules: MediaRules,
  argument: string,
  by: { adminId: number },
): Promise<Parameters<Command['t']> | undefined> {
  const [rule = '', ...rest] = argument.toLowerCase().split(/\s+/)
  const value = rest.join(' ')
  switch (rule) {
    case 'confirm': {
      const microRub = parseMoney(value)
      if (microRub === undefined) return ['media-confirm-usage']
      return void (await rules.set({ confirmFromMicroRub: microRub }, by))
    }
    case 'parallel': {
      const count = parseWhole(value, PARALLEL_MAX)
      if (count === undefined) return ['media-parallel-usage', { max: PARALLEL_MAX }]
      return void (await rules.set({ parallelMax: count }, by))
    }
    case 'deadline': {
      const minutes = parseWhole(value, DEADLINE_MINUTES_MAX)
      if (minutes === undefined) return ['media-deadline-usage', { max: DEADLINE_MINUTES_MAX }]
      return void (await rules.set({ deadlineMs: minutes * MINUTE_MS }, by))
    }
    default:
      return ['media-usage']
  }
}

function describe(rules: MediaRuleValues, { user, t }: Command): string {
  return t('media-rules', {
    amount: formatMoney(rules.confirmFromMicroRub, user.languageCode),
    parallel: rules.parallelMax,
    minutes: rules.deadlineMs / MINUTE_MS,
  })
}

function parseWhole(text: string, max: number): number | undefined {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= max ? count : undefined
}
