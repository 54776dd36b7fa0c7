import type { BalanceCheck } from '../../bot/spend/check/balance-check.ts'
import { CAUSES, type Cause } from '../../bot/spend/check/explain-difference.ts'
import { formatRub } from '../../contract/money.ts'

const WORDS: Readonly<Record<Cause, string>> = {
  written_off: 'written off: the service keeps it, nobody pays',
  estimates: 'charges were estimates',
  under_way: 'under way just now',
  credited: 'came onto the account',
  not_ours: 'not spent by this bot',
}

/** Writes what the check of the balance found as lines for people, amounts in roubles to the last micro-rouble. */
export function writeBalance(check: BalanceCheck): string {
  const { from, movedMicroRub, chargedMicroRub, differenceMicroRub, causes, isSettled } = check
  return [
    `Since ${from.toISOString()} the balance fell by ${formatRub(movedMicroRub)} RUB, and users were charged ${formatRub(chargedMicroRub)} RUB.`,
    `The difference is ${formatExactRub(differenceMicroRub)} RUB.`,
    ...CAUSES.filter((cause) => causes[cause] !== 0n).map(
      (cause) => `  ${formatRub(causes[cause])} RUB  ${WORDS[cause]}`,
    ),
    ...(isSettled ? [] : ['Requests are under way or have just ended: a part may still even out.']),
  ].join('\n')
}

/** With all six decimals: a difference of nothing is seen to be one. */
function formatExactRub(microRub: bigint): string {
  const [whole = '', decimals = ''] = formatRub(microRub).split('.')
  return `${whole}.${decimals.padEnd(6, '0')}`
}
