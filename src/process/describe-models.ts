import { formatRub } from '../contract/money.ts'
import { findKnownUpstream } from '../service/config/openai/known-upstreams.ts'
import type { OfferedModel, PriceSource } from '../service/config/openai/offer-models.ts'
import { formatUsd } from '../service/config/openai/usd.ts'
import type { OpenAiSettings } from '../service/config/openai/variables.ts'
import type { OwnModels } from './own-models.ts'

/** Writes for the operator what is offered with the own key, at which price, and what is wrong with it. */
export function describeOwnModels({
  settings,
  offer,
}: Pick<OwnModels, 'settings' | 'offer'>): string {
  const { models = [], trouble } = offer() ?? {}
  const { host } = new URL(settings.baseUrl)
  const parts = [
    trouble &&
      `The models are not set up right. ${trouble.sentence}.\nUsers read that the bot, or its model, is not set up right; it is tried again every half a minute.`,
    models.length > 0 &&
      `Models of ${host}, in roubles per 1 million tokens:\n\n${writeModels(models, settings.baseUrl)}`,
    models.some(isPriced) && describeRate(settings),
  ]
  return parts.filter((part) => typeof part === 'string').join('\n\n')
}

/** Writes what a dollar was counted at. */
export function describeRate({ usdRate }: Pick<OpenAiSettings, 'usdRate'>): string {
  return `A dollar is ₽${formatRub(usdRate.microRub)} (${usdRate.from}).`
}

/** Writes where a price is from. */
export function describeSource(from: PriceSource, baseUrl: string): string {
  switch (from) {
    case 'OPENAI_PRICES':
      return 'OPENAI_PRICES'
    case 'list':
      return `the list of ${new URL(baseUrl).host}`
    case 'table': {
      const { name, pricedAt } = findKnownUpstream(baseUrl) ?? {}
      return `Kopeck’s table, ${name} in ${pricedAt}`
    }
    case 'local':
      return 'a local upstream'
  }
}

function writeModels(models: readonly OfferedModel[], baseUrl: string): string {
  const width = Math.max(...models.map(({ config }) => config.id.length))
  const lines = models.map(({ config, priceFrom, ...usd }) => {
    const { id, prompt_rub_per_1m: prompt, completion_rub_per_1m: completion } = config
    const dollars = `$${formatUsd(usd.promptMicroUsdPer1m)} / $${formatUsd(usd.completionMicroUsdPer1m)}`
    const price = isPriced(usd) ? `₽${prompt} in, ₽${completion} out (${dollars}, ` : 'free ('
    return `    ${id.padEnd(width)}  ${price}${describeSource(priceFrom, baseUrl)})`
  })
  return lines.join('\n')
}

function isPriced({
  promptMicroUsdPer1m,
  completionMicroUsdPer1m,
}: Pick<OfferedModel, 'promptMicroUsdPer1m' | 'completionMicroUsdPer1m'>): boolean {
  return promptMicroUsdPer1m > 0n || completionMicroUsdPer1m > 0n
}
