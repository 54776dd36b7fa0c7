import { formatRub } from '../contract/money.ts'
import type { OfferedModel } from '../service/config/openai/offer-models.ts'
import { formatUsd } from '../service/config/openai/usd.ts'
import type { OpenAiSettings } from '../service/config/openai/variables.ts'
import type { OwnModels } from './own-models.ts'

/** Writes for the operator what is offered with the own key, at which price, and what is wrong with it. */
export function describeOwnModels({
  settings,
  offer,
}: Pick<OwnModels, 'settings' | 'offer'>): string {
  const { models = [], trouble } = offer ?? {}
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
export function describeSource(model: OfferedModel, baseUrl: string): string {
  switch (model.priceFrom) {
    case 'OPENAI_PRICES':
      return 'OPENAI_PRICES'
    case 'list':
      return `the list of ${new URL(baseUrl).host}, ${model.pricedAt}`
    case 'book':
      return `genai-prices, ${model.pricedAt}`
    case 'local':
      return 'a local upstream'
  }
}

function writeModels(models: readonly OfferedModel[], baseUrl: string): string {
  const width = Math.max(...models.map(({ config }) => config.id.length))
  const lines = models.map((model) => {
    const { config, usd } = model
    const { id, prompt_rub_per_1m: prompt, completion_rub_per_1m: completion } = config
    const dollars = `$${formatUsd(usd.prompt)} / $${formatUsd(usd.completion)}`
    const price = isPriced(model) ? `₽${prompt} in, ₽${completion} out (${dollars}, ` : 'free ('
    return `    ${id.padEnd(width)}  ${price}${describeSource(model, baseUrl)})`
  })
  return lines.join('\n')
}

function isPriced({ usd: { prompt, completion } }: Pick<OfferedModel, 'usd'>): boolean {
  return prompt > 0n || completion > 0n
}
