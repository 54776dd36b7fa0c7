import type { Texts } from '../../locales/texts.ts'
import { formatAbout, formatMoney } from '../../spend/format.ts'
import type { MediaPrice } from './prices.ts'

/** Writes a price as its reader does, with `≈` where it is an estimate. */
export function formatPrice(
  { microRub, estimated }: MediaPrice,
  languageCode: string | undefined,
): string {
  return (estimated ? formatAbout : formatMoney)(microRub, languageCode)
}

/** Writes a price, or that it is not known where it is null. */
export function priceText(
  price: MediaPrice | null,
  { languageCode, texts }: { languageCode?: string | undefined; texts: Pick<Texts, 't'> },
): string {
  return price === null ? texts.t(languageCode, 'price-unknown') : formatPrice(price, languageCode)
}
