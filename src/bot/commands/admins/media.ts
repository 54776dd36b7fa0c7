import { MEDIA_KINDS } from '../../../contract/media.ts'
import type { MediaPrices } from '../../media/order/prices.ts'
import type { MediaRules, MediaRuleValues } from '../../media/order/rules.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'
import { answerStep, type Step, type StepReader } from '../steps.ts'
import { type OfferedValues, valuePresses, wordButtons } from './offered-values.ts'

const PARALLEL_MAX = 100
const DEADLINE_MINUTES_MAX = 24 * 60
const MINUTE_MS = 60_000
const MICRO_RUB_PER_RUB = 1_000_000n

export interface MediaDeps {
  mediaRules: MediaRules
  prices: Pick<MediaPrices, 'kinds'>
}

const OFFERED: OfferedValues<MediaDeps> = {
  command: 'media',
  values: {
    confirm: ['0', '50', '100', '500'],
    parallel: ['1', '3', '5', '10'],
    deadline: ['30', '60', '90'],
  },
  async read({ mediaRules }) {
    const { confirmFromMicroRub, parallelMax, deadlineMs } = await mediaRules.read()
    return {
      confirm: String(confirmFromMicroRub / MICRO_RUB_PER_RUB),
      parallel: String(parallelMax),
      deadline: String(deadlineMs / MINUTE_MS),
    }
  },
  async set({ mediaRules }, { word, value }, by) {
    await change(mediaRules, `${word} ${value}`, by)
  },
  hint: (word, t) => {
    const max = word === 'parallel' ? PARALLEL_MAX : DEADLINE_MINUTES_MAX
    return t(`media-${word}-usage`, { max })
  },
  label(word, value, { user, t }) {
    switch (word) {
      case 'confirm':
        if (value === '0') return t('value-always')
        return formatMoney(BigInt(value) * MICRO_RUB_PER_RUB, user.languageCode)
      case 'deadline':
        return t('wait-minutes', { count: Number(value) })
      default:
        return value
    }
  },
}

/** Shows and changes the rules for orders, where something can be ordered. */
export const ordersStep: Step<MediaDeps> = {
  of: 'admin',
  name: 'orders',
  isOwn: false,
  state: async ({ prices }) => ((prices.kinds() ?? []).length > 0 ? {} : undefined),
  async view({ mediaRules }, reader) {
    return {
      text: describe(await mediaRules.read(), reader),
      buttons: wordButtons(OFFERED, reader.t),
    }
  },
}

/** Shows admins what they rule about orders of clips, pictures and sounds, and lets them change it. */
export const mediaCommand: CommandDefinition<MediaDeps> = {
  name: 'media',
  audience: 'admins',
  about: MEDIA_KINDS,
  usage: '[confirm|parallel|deadline] [value]',
  create: (deps) => ({
    async handle(command) {
      const { argument, user, t, answer } = command
      if (argument !== '') {
        const refusal = await change(deps.mediaRules, argument, { adminId: user.id })
        if (refusal !== undefined) return answer(t(...refusal))
      }
      await answerStep(ordersStep, deps, command)
    },
    presses: [valuePresses(OFFERED, ordersStep, deps)],
  }),
}

/** @returns The sentence that says why nothing was changed. */
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

function describe(rules: MediaRuleValues, { user, t }: StepReader): string {
  return t('media-rules', {
    amount: formatMoney(rules.confirmFromMicroRub, user.languageCode),
    parallel: rules.parallelMax,
    minutes: rules.deadlineMs / MINUTE_MS,
  })
}

/** Reads a number from 1 to `max`. */
function parseWhole(text: string, max: number): number | undefined {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= max ? count : undefined
}
