import { words } from '../words/language.ts'
import { parseAmount } from '../words/money.ts'

/** Reads what a field holds: an amount or none, or the sentence that says why it is neither. */
export function readAmount(
  text: string,
): { microRub: string | null; fault?: never } | { fault: string } {
  const { amountHuge, amountMalformed, amountNegative } = words.value.problems
  const amount = parseAmount(text)
  switch (amount) {
    case 'malformed':
      return { fault: amountMalformed }
    case 'negative':
      return { fault: amountNegative }
    case 'huge':
      return { fault: amountHuge }
    default:
      return { microRub: amount }
  }
}
