import type { Texts } from '../../locales/texts.ts'
import { formatMoney } from '../../spend/format.ts'
import type { MediaPrice } from './prices.ts'

/** Writes a price as its reader does, with `≈` where it is an estimate. */
export function formatPrice(
  { microRub, estimated }: MediaPrice,
  languageCode: string | undefined,
): string {
  const amount = formatMoney(microRub, languageCode)
  return estimated ? `≈ ${amount}` : amount
}

/** The same; null is a price that is not known. */
export function priceText(
  price: MediaPrice | null,
  { languageCode, texts }: { languageCode?: string | undefined; texts: Pick<Texts, 't'> },
): string {
  return price === null ? texts.t(languageCode, 'price-unknown') : formatPrice(price, languageCode)
}
