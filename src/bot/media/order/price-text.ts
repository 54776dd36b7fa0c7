import type { Texts } from '../../locales/texts.ts'
import { formatMoney } from '../../spend/format.ts'

/** Writes a price, or that it is not known where it is null. */
export function priceText(
  microRub: bigint | null,
  { languageCode, texts }: { languageCode?: string | undefined; texts: Pick<Texts, 't'> },
): string {
  return microRub === null
    ? texts.t(languageCode, 'price-unknown')
    : formatMoney(microRub, languageCode)
}
